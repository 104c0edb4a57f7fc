#include "rwa/trainer.h"

#include <memory>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "c_api/views.h"
#include "rwa/c_api.h"

struct rwa_trainer {
  rwa::Trainer trainer;
  rwa::c_api::Sizes sizes;
};

namespace {
using rwa::c_api::guarded;
using rwa::c_api::numbers;
using rwa::c_api::require;

rwa::TrainerOptions parse_options(const char* text) {
  rwa::TrainerOptions o;
  rwa::io::Fields options = rwa::c_api::read_options(text, "trainer options");
  options("learning_rate", o.learning_rate);
  options("beta1", o.beta1);
  options("beta2", o.beta2);
  options("epsilon", o.epsilon);
  options("clip_norm", o.clip_norm);
  options("truncate", o.truncate);
  rwa::c_api::read_session(options, o.session);
  options.finish();
  return o;
}

std::vector<float> copy(const float* values, std::size_t count, const char* name) {
  const auto all = numbers(values, count, name);
  return {all.begin(), all.end()};
}
}  // namespace

extern "C" {

rwa_result rwa_trainer_new(rwa_model* model, const char* options, rwa_trainer** out) {
  return guarded([&] {
    require(model, "model");
    require(out, "out");
    *out = std::make_unique<rwa_trainer>(
               rwa_trainer{rwa::Trainer(model->model, parse_options(options)),
                           rwa::c_api::Sizes(model->model)})
               .release();
  });
}

void rwa_trainer_free(rwa_trainer* trainer) { delete trainer; }

rwa_result rwa_trainer_step(rwa_trainer* trainer, const rwa_batch* batch,
                            const rwa_targets* targets, double* loss, double* gradient_norm) {
  return guarded([&] {
    require(trainer, "trainer");
    const auto& sizes = trainer->sizes;
    const auto result = trainer->trainer.step(sizes.view(batch), sizes.view(targets, batch));
    if (loss != nullptr) *loss = result.loss;
    if (gradient_norm != nullptr) *gradient_norm = result.gradient_norm;
  });
}

rwa_result rwa_trainer_set_learning_rate(rwa_trainer* trainer, double rate) {
  return guarded([&] {
    require(trainer, "trainer");
    trainer->trainer.set_learning_rate(rate);
  });
}

rwa_result rwa_trainer_state(const rwa_trainer* trainer, int64_t* steps, const float** mean,
                             const float** variance, size_t* count) {
  return guarded([&] {
    require(trainer, "trainer");
    require(steps, "steps");
    require(mean, "mean");
    require(variance, "variance");
    require(count, "count");
    const rwa::TrainerState& state = trainer->trainer.state();
    *steps = state.steps;
    *mean = state.mean.data();
    *variance = state.variance.data();
    *count = state.mean.size();
  });
}

rwa_result rwa_trainer_set_state(rwa_trainer* trainer, int64_t steps, const float* mean,
                                 const float* variance, size_t count) {
  return guarded([&] {
    require(trainer, "trainer");
    trainer->trainer.set_state(
        {steps, copy(mean, count, "mean"), copy(variance, count, "variance")});
  });
}
}
