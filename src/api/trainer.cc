#include "rwa/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "api/model_impl.h"
#include "api/training_step.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
// Within these limits finite weights and gradients stay finite: all values fit into floats, and
// with ε > 0 a zero gradient is never divided by 0.
constexpr double kMost = 1e30;
constexpr double kLeastEpsilon = 1e-37;

double checked(std::string_view name, double value, double low, double below) {
  if (!(value >= low && value < below)) {
    throw ConfigError(
        fmt::format("{} is {}, expected at least {} and less than {}", name, value, low, below));
  }
  return value;
}

double checked_rate(double rate) { return checked("learning_rate", rate, 0, kMost); }

AdamSettings checked_settings(const TrainerOptions& o) {
  return {checked_rate(o.learning_rate), checked("beta1", o.beta1, 0, 1),
          checked("beta2", o.beta2, 0, 1), checked("epsilon", o.epsilon, kLeastEpsilon, kMost)};
}

int checked_truncate(const NetworkSpec& spec, int steps) {
  if (steps < 0) throw ConfigError(fmt::format("truncate is {}, expected 0 or more", steps));
  const std::string why = steps > 0 ? spec.why_no_stream() : "";
  if (!why.empty()) {
    throw ConfigError(fmt::format("truncate is {}, expected 0 for this network: {}", steps, why));
  }
  return steps;
}
}  // namespace

struct Trainer::Impl {
  Impl(std::shared_ptr<Model::Impl> shared, const TrainerOptions& options)
      : model(std::move(shared)),
        backend(checked_backend(options.session)),
        weights(model->weights, model->spec, options.session.device, *backend),
        step(model->spec, *backend, weights.get(),
             {.adam = checked_settings(options),
              .clip_norm = checked("clip_norm", options.clip_norm, 0, kMost),
              .memory = options.session.memory,
              .truncate = checked_truncate(model->spec, options.truncate)},
             options.link),
        least_batch(options.link == nullptr ? 1 : 0) {
    if (options.link != nullptr) check_same_weights(Ranks(options.link));
  }

  // Ranks that start with different weights would never agree.
  void check_same_weights(Ranks ranks) const {
    const std::span<const float> mine = model->weights.numbers();
    std::uint64_t count = mine.size();
    ranks.broadcast(std::as_writable_bytes(std::span(&count, 1)));
    if (count != mine.size()) {
      throw InputError(fmt::format("rank {} of {} has {} parameters, expected {} as on rank 0",
                                   ranks.rank(), ranks.size(), mine.size(), count));
    }
    std::vector<float> first(mine.begin(), mine.end());
    ranks.broadcast(std::as_writable_bytes(std::span(first)));
    if (std::memcmp(first.data(), mine.data(), mine.size_bytes()) == 0) return;
    throw InputError(fmt::format("the initial weights of rank {} of {} differ from those of rank 0",
                                 ranks.rank(), ranks.size()));
  }

  [[noreturn]] void diverged(const StepReport& report) const {
    std::string what = "the loss is";
    for (const auto& info : model->spec.describe()) {
      if (report.bad_gradient < 0) break;
      const auto bad = static_cast<std::size_t>(report.bad_gradient);
      if (bad < info.offset || bad >= info.offset + info.size) continue;
      what = "the square of the gradient of " + info.name + " is";
    }
    throw DivergenceError(fmt::format("training diverged at step {}: {} not finite (loss {})",
                                      report.steps + 1, what, report.loss));
  }

  void check_collected(std::string_view what) const {
    if (step.under_way() == 0) return;
    throw InputError(
        fmt::format("{}: the number of pending steps is {}, expected 0: call collect() first", what,
                    step.under_way()));
  }

  std::shared_ptr<Model::Impl> model;
  std::unique_ptr<Backend<float>> backend;
  DeviceWeights weights;
  TrainingStep step;
  int least_batch;                    // 0 with ranks: a small batch may leave some without rows
  std::int64_t steps = 0;             // collected
  std::optional<TrainerState> state;  // read from the device; reset by the next step
};

RankRows rank_rows(int batch, int ranks, int rank) {
  const Cut cut = rank_cut(batch, ranks, rank);
  return {cut.first(), cut.first() + cut.size()};
}

Trainer::Trainer(Model& model, const TrainerOptions& options)
    : impl_(within_memory("a trainer",
                          [&] { return std::make_unique<Impl>(model.impl_, options); })) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

StepResult Trainer::step(const BatchView& batch, const TargetView& targets) {
  impl_->check_collected("step()");
  submit(batch, targets);
  return collect();
}

void Trainer::submit(const BatchView& batch, const TargetView& targets) {
  Impl& i = *impl_;
  if (i.step.under_way() == kMostSubmitted) {
    throw InputError(
        fmt::format("{} steps are pending, expected fewer: call collect() before the next submit()",
                    kMostSubmitted));
  }
  const auto in = checked_sequences(i.model->spec, batch, i.least_batch);
  const auto wanted = checked_targets(i.model->spec, in.rows, targets);
  within_memory("the gradient of a batch", [&] {
    i.weights.refresh();
    i.weights.announce();
    i.state.reset();
    i.step.submit(in, wanted);
  });
}

StepResult Trainer::collect() {
  Impl& i = *impl_;
  if (i.step.under_way() == 0) throw InputError("no step is pending: call submit() first");
  const StepReport report = i.step.collect();
  i.steps = report.steps;
  if (report.failed != 0) i.diverged(report);
  return {report.loss, report.gradient_norm};
}

std::int64_t Trainer::steps() const { return impl_->steps; }

void Trainer::set_learning_rate(double rate) { impl_->step.set_rate(checked_rate(rate)); }

const TrainerState& Trainer::state() const {
  impl_->check_collected("state()");
  if (!impl_->state) {
    impl_->state = within_memory("a trainer's state", [&] { return impl_->step.state(); });
  }
  return *impl_->state;
}

void Trainer::set_state(TrainerState state) {
  impl_->check_collected("set_state()");
  const std::size_t parameters = impl_->model->spec.parameters();
  check_size("the mean", state.mean.size(), parameters, "all parameters");
  check_size("the variance", state.variance.size(), parameters, "all parameters");
  if (state.steps < 0)
    throw InputError(fmt::format("steps is {}, expected 0 or more", state.steps));
  for (std::size_t i = 0; i < parameters; ++i) {
    if (!std::isfinite(state.mean[i]) || !std::isfinite(state.variance[i]) ||
        state.variance[i] < 0) {
      throw InputError(fmt::format(
          "mean {} and variance {} at index {}, expected finite numbers and a variance of "
          "0 or more",
          state.mean[i], state.variance[i], i));
    }
  }
  impl_->step.set_state(state);
  impl_->steps = state.steps;
  impl_->state = std::move(state);
}

}  // namespace rwa
