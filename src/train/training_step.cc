#include "train/training_step.h"

#include <cstring>

namespace rwa {

TrainingStep::TrainingStep(const NetworkSpec& spec, Backend<float>& backend,
                           NetworkWeights<float>& weights, const TrainingSettings& settings)
    : spec_(spec),
      backend_(backend),
      weights_(weights),
      settings_(settings),
      pass_(spec, backend),
      gradient_(backend, spec.parameters()),
      mean_(backend, spec.parameters()),
      variance_(backend, spec.parameters()),
      report_(backend, 1) {
  mean_.clear(spec.parameters());
  variance_.clear(spec.parameters());
  write_report(0);
  for (Slot& slot : slots_) {
    slot.feed = backend.make_feed();
    slot.report = backend.make_reader(sizeof(StepReport));
  }
}

TrainingStep::~TrainingStep() {
  try {
    while (under_way_ > 0) (void)wait_for_oldest();
  } catch (...) {  // a device that has failed reads nothing any more
  }
}

void TrainingStep::submit(const Sequences<float>& host, const Targets<float>& host_targets) {
  Slot& slot = slots_[static_cast<std::size_t>((oldest_ + under_way_) % kMost)];
  load(*slot.feed, spec_, host, host_targets);
  if (slot.feed->shape() != slot.shape) {
    forget_recordings();
    slot.shape = slot.feed->shape();
  }
  backend_.repeat(slot.recording, [&] { run(*slot.feed); });
  slot.report->request(report_.data());
  ++under_way_;
}

void TrainingStep::run(const Feed<float>& feed) {
  const std::size_t count = spec_.parameters();
  StepReport* report = report_.data();
  gradient_.clear(count);
  pass_.gradient(
      weights_, feed.in(), feed.targets(), &report->loss,
      {.memory = settings_.memory, .parameters = gradient_.data(), .dropout_step = &report->steps});
  // Adam leaves alone what has never had a gradient.
  for (const ParameterRange& range : spec_.frozen()) {
    backend_.clear(gradient_.data() + range.offset, range.size * sizeof(float));
  }
  backend_.judge(count, gradient_.data(), report);
  backend_.adam(settings_.adam, settings_.clip_norm, count, gradient_.data(), report,
                weights_.values.data(), mean_.data(), variance_.data());
  weights_.update();
}

// All of them: scratch memory that grows for one batch moves for the others too.
void TrainingStep::forget_recordings() {
  for (Slot& slot : slots_) slot.recording.reset();
}

StepReport TrainingStep::wait_for_oldest() {
  StepReport report;
  const Slot& slot = slots_[static_cast<std::size_t>(oldest_)];
  oldest_ = (oldest_ + 1) % kMost;
  --under_way_;
  std::memcpy(&report, slot.report->wait(), sizeof(report));
  return report;
}

StepReport TrainingStep::collect() {
  const StepReport report = wait_for_oldest();
  if (report.failed != 0) {
    while (under_way_ > 0) (void)wait_for_oldest();
    write_report(report.steps);
  }
  return report;
}

TrainerState TrainingStep::state() const {
  StepReport report;
  TrainerState state;
  state.mean.resize(spec_.parameters());
  state.variance.resize(spec_.parameters());
  mean_.read(state.mean);
  variance_.read(state.variance);
  report_.read({&report, 1});
  state.steps = report.steps;
  return state;
}

void TrainingStep::set_state(const TrainerState& state) {
  mean_.write(state.mean);
  variance_.write(state.variance);
  write_report(state.steps);
}

void TrainingStep::write_report(std::int64_t steps) {
  const StepReport report{.steps = steps};
  report_.write({&report, 1});
}

}  // namespace rwa
