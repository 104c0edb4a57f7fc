#include "rwa/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/model_impl.h"
#include "backend/cpu/cpu.h"
#include "rwa/errors.h"
#include "train/optimizer.h"

namespace rwa {
namespace {
// Within these no step leads from finite weights and gradients to others: floats hold the numbers,
// and with an ε no gradient of 0 is divided by 0.
constexpr double kMost = 1e30;
constexpr double kLeastEpsilon = 1e-37;

double checked(std::string_view name, double value, double low, double below) {
  if (!(value >= low && value < below)) {
    throw ConfigError(
        fmt::format("{} is {}, expected at least {} and less than {}", name, value, low, below));
  }
  return value;
}

AdamSettings checked_settings(const TrainerOptions& o) {
  return {checked("learning_rate", o.learning_rate, 0, kMost), checked("beta1", o.beta1, 0, 1),
          checked("beta2", o.beta2, 0, 1), checked("epsilon", o.epsilon, kLeastEpsilon, kMost)};
}
}  // namespace

struct Trainer::Impl {
  Impl(std::shared_ptr<Model::Impl> shared, const TrainerOptions& trainer_options)
      : model(std::move(shared)),
        options(trainer_options),
        backend(make_cpu_backend((check_options(options.session), options.session.threads))),
        pass(model->spec, *backend),
        optimizer(checked_settings(options), checked("clip_norm", options.clip_norm, 0, kMost),
                  model->spec.parameters()),
        gradient(model->spec.parameters()) {}

  // The first parameter whose gradient Adam cannot square, or nothing.
  [[nodiscard]] std::string too_large() const {
    for (const auto& info : model->spec.describe()) {
      for (const float g : std::span(gradient).subspan(info.offset, info.size)) {
        if (!std::isfinite(g * g)) return info.name;
      }
    }
    return {};
  }

  [[noreturn]] void diverged(std::int64_t step, const std::string& what, double loss) const {
    throw DivergenceError(
        fmt::format("training diverged at step {}: {} not finite (loss {})", step, what, loss));
  }

  std::shared_ptr<Model::Impl> model;
  TrainerOptions options;
  std::unique_ptr<Backend<float>> backend;
  NetworkPass<float> pass;
  Optimizer optimizer;
  std::vector<float> gradient;
};

Trainer::Trainer(Model& model, const TrainerOptions& options)
    : impl_(within_memory("a trainer",
                          [&] { return std::make_unique<Impl>(model.impl_, options); })) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

StepResult Trainer::step(const BatchView& batch, const TargetView& targets) {
  Impl& i = *impl_;
  const NetworkSpec& spec = i.model->spec;
  const auto in = checked_sequences(spec, batch);
  const auto wanted = checked_targets(spec, in.rows, targets);
  std::fill(i.gradient.begin(), i.gradient.end(), 0.0f);
  StepResult result;
  result.loss = within_memory("the gradient of a batch", [&] {
    return i.pass.gradient(i.model->weights, in, wanted, loss_scale(spec, in.rows),
                           i.options.session.memory, i.gradient.data(), nullptr);
  });
  result.gradient_norm = gradient_norm(i.gradient);
  const std::int64_t step = i.optimizer.state.steps + 1;
  if (const std::string name = i.too_large(); !name.empty()) {
    i.diverged(step, "the square of the gradient of " + name + " is", result.loss);
  }
  if (!std::isfinite(result.loss)) i.diverged(step, "the loss is", result.loss);
  i.optimizer.step(*i.backend, i.gradient, result.gradient_norm, i.model->weights.values);
  i.model->weights.update();
  return result;
}

std::int64_t Trainer::steps() const { return impl_->optimizer.state.steps; }

const TrainerState& Trainer::state() const { return impl_->optimizer.state; }

void Trainer::set_state(TrainerState state) {
  const std::size_t parameters = impl_->model->spec.parameters();
  check_size("the mean", state.mean.size(), parameters, "all parameters");
  check_size("the variance", state.variance.size(), parameters, "all parameters");
  if (state.steps < 0)
    throw InputError(fmt::format("steps is {}, expected 0 or more", state.steps));
  for (std::size_t i = 0; i < parameters; ++i) {
    if (!std::isfinite(state.mean[i]) || !std::isfinite(state.variance[i]) ||
        state.variance[i] < 0) {
      throw InputError(
          fmt::format("mean {} and variance {} at {}, expected finite numbers, the "
                      "variance 0 or more",
                      state.mean[i], state.variance[i], i));
    }
  }
  impl_->optimizer.state = std::move(state);
}

}  // namespace rwa
