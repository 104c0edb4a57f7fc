#include "api/training_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "rwa/errors.h"

namespace rwa {
namespace {

template <class T>
T* from(T* numbers, std::size_t row, int width) {
  return numbers == nullptr ? nullptr : numbers + row * static_cast<std::size_t>(width);
}

BatchPart make_part(const NetworkSpec& spec, int begin, int steps, const Sequences<float>& in,
                    const Targets<float>& targets) {
  const Rows& whole = in.rows;
  // Sequences on another rank may be longer than all of these.
  const std::size_t first = whole.index(std::min(begin, whole.steps), 0);
  const auto batch = static_cast<std::size_t>(whole.batch);
  BatchPart part;
  part.lengths = std::make_unique<std::int32_t[]>(2 * batch);
  const std::span<std::int32_t> lengths(part.lengths.get(), batch);
  const std::span<std::int32_t> ends(part.lengths.get() + batch, batch);
  for (std::size_t b = 0; b < batch; ++b) {
    const int length = whole.length(static_cast<int>(b));
    const int last = std::max(length, 1) - 1;
    lengths[b] = std::clamp(length - begin, 0, steps);
    ends[b] = last >= begin && last < begin + steps ? 1 : 0;
  }
  part.in = {
      from(in.x, first, spec.inputs()), {steps, whole.batch, lengths}, from(in.symbols, first, 1)};
  if (spec.readout == Readout::kEvery) {
    part.targets = {from(targets.classes, first, 1), from(targets.values, first, spec.outputs()),
                    part.in.rows};
  } else {
    part.targets = targets;
    part.targets.rows = {1, whole.batch, ends};
  }
  part.answers = part.targets.rows.counted();
  return part;
}

int longest_of(const Rows& rows) {
  int longest = 0;
  for (int b = 0; b < rows.batch; ++b) longest = std::max(longest, rows.length(b));
  return longest;
}

// Cuts a batch into parts of `steps` steps; the last may be shorter. Returns the batch itself if
// `steps` is 0 or no sequence is longer. Each target is in exactly one part. A sequence that has
// ended has no steps in later parts; one without steps ends in the first part. `longest` is the
// length of the longest sequence on any rank.
std::vector<BatchPart> cut(const NetworkSpec& spec, int steps, int longest,
                           const Sequences<float>& in, const Targets<float>& targets) {
  std::vector<BatchPart> parts;
  if (steps == 0 || longest <= steps) {
    parts.push_back({in, targets, targets.rows.counted()});
    return parts;
  }
  for (int begin = 0; begin < longest; begin += steps) {
    parts.push_back(make_part(spec, begin, std::min(steps, longest - begin), in, targets));
  }
  return parts;
}

// Returns null on all ranks unless each has its own device; the host then adds the gradients.
std::unique_ptr<RankSum<float>> make_rank_sum(Backend<float>& backend, Ranks& ranks) {
  std::vector<std::string> names = ranks.gather(backend.name_among_ranks());
  std::ranges::sort(names);
  const bool are_different = std::ranges::adjacent_find(names) == names.end();
  return are_different && !names.front().empty() ? backend.make_rank_sum(ranks) : nullptr;
}

}  // namespace

TrainingStep::TrainingStep(const NetworkSpec& spec, Backend<float>& backend,
                           NetworkWeights<float>& weights, const TrainingSettings& settings,
                           Link* link)
    : spec_(spec),
      backend_(backend),
      weights_(weights),
      settings_(settings),
      ranks_(link),
      rank_sum_(link == nullptr ? nullptr : make_rank_sum(backend, ranks_)),
      on_host_(ranks_.alone() || rank_sum_ != nullptr ? 0 : spec.parameters()),
      pass_(spec, backend),
      gradient_(backend, spec.parameters()),
      mean_(backend, spec.parameters()),
      variance_(backend, spec.parameters()),
      report_(backend, 1),
      states_{Array<float>(backend), Array<float>(backend)} {
  mean_.clear(spec.parameters());
  variance_.clear(spec.parameters());
  write_report(0);
  for (Slot& slot : slots_) {
    slot.feed = backend.make_feed();
    slot.report = backend.make_readback(sizeof(StepReport));
  }
}

TrainingStep::~TrainingStep() {
  rank_sum_.reset();  // limits how long to wait for other ranks
  try {
    while (under_way_ > 0) (void)wait_for_oldest();
  } catch (...) {  // a failed device does not read the batches any more
  }
}

void TrainingStep::submit(const Sequences<float>& host, const Targets<float>& host_targets) {
  Slot& slot = slots_[static_cast<std::size_t>((oldest_ + under_way_) % kMost)];
  slot.parts = parts_of(host, host_targets);
  slot.loss = slot.gradient_norm = 0;
  slot.read = slot.expected = 0;
  if (slot.parts.size() > 1) {
    run_parts(slot);
  } else {
    slot.expected = 1;
    load_part(slot, slot.parts.front());
    if (ranks_.alone() && rank_sum_ == nullptr) {
      backend_.repeat(slot.recording, [&] {
        differentiate(*slot.feed);
        update();
      });
    } else {
      if (host.rows.batch > 0) {
        backend_.repeat(slot.recording, [&] { differentiate(*slot.feed); });
      } else {
        start_gradient();
      }
      add_ranks();
      update();
    }
    slot.report->request(report_.data());
  }
  ++under_way_;
}

std::vector<BatchPart> TrainingStep::parts_of(const Sequences<float>& in,
                                              const Targets<float>& targets) {
  int longest = longest_of(in.rows);
  if (!ranks_.alone() && settings_.truncate > 0) {
    for (const std::string& text : ranks_.gather(std::to_string(longest))) {
      longest = std::max(longest, std::stoi(text));
    }
  }
  std::vector<BatchPart> parts = cut(spec_, settings_.truncate, longest, in, targets);
  if (ranks_.alone()) return parts;

  std::vector<double> counts = {static_cast<double>(in.rows.batch)};
  for (const BatchPart& part : parts) counts.push_back(static_cast<double>(part.answers));
  ranks_.sum(counts);  // exact: whole numbers
  const Cut part = rank_cut(static_cast<int>(counts.front()), ranks_.size(), ranks_.rank());
  if (part.size() != in.rows.batch) {
    throw InputError(fmt::format("rank {} of {} has {} of the {} sequences, expected {}",
                                 ranks_.rank(), ranks_.size(), in.rows.batch, part.whole,
                                 part.size()));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    parts[p].answers = parts[p].targets.counted = static_cast<std::int64_t>(counts[p + 1]);
    parts[p].in.rows.part = parts[p].targets.rows.part = part;
  }
  return parts;
}

void TrainingStep::load_part(Slot& slot, const BatchPart& part) {
  if (part.in.rows.batch == 0) return;
  load(*slot.feed, spec_, part.in, part.targets);
  if (slot.feed->shape() == slot.shape) return;
  forget_recordings();
  slot.shape = slot.feed->shape();
}

// Parts are not recorded: they differ in more than the contents of the feed.
void TrainingStep::run_parts(Slot& slot) {
  const auto batch = static_cast<std::size_t>(slot.parts.front().in.rows.batch);
  for (Array<float>& state : states_) state.reserve(batch * spec_.state_size());
  for (std::size_t p = 0; p < slot.parts.size(); ++p) {
    const BatchPart& part = slot.parts[p];
    load_part(slot, part);
    const float* initial = p > 0 ? states_[p % 2].data() : nullptr;
    float* final = states_[(p + 1) % 2].data();
    const auto number = static_cast<std::uint32_t>(p);
    if (part.answers == 0) {
      if (batch == 0) continue;
      pass_.advance(weights_, {.in = slot.feed->in(),
                               .initial_state = initial,
                               .final_state = final,
                               .dropout_step = &report_.data()->steps,
                               .part = number});
      continue;
    }
    if (StepReport report; slot.expected > 0 && !read_report(slot, report)) return;
    if (batch > 0) {
      differentiate(*slot.feed, {.initial_state = initial, .final_state = final, .part = number});
    } else {
      start_gradient();
    }
    add_ranks();
    update();
    slot.report->request(report_.data());
    slot.expected = part.answers;
  }
}

bool TrainingStep::read_report(Slot& slot, StepReport& report) {
  if (rank_sum_ != nullptr) rank_sum_->wait();
  std::memcpy(&report, slot.report->wait(), sizeof(report));
  if (report.failed != 0) return false;
  slot.loss += report.loss * static_cast<double>(slot.expected);
  slot.gradient_norm += report.gradient_norm * static_cast<double>(slot.expected);
  slot.read += slot.expected;
  return true;
}

void TrainingStep::start_gradient() {
  gradient_.clear(spec_.parameters());
  backend_.clear(&report_.data()->loss, sizeof(double));
}

void TrainingStep::differentiate(const Feed<float>& feed, NetworkGradient<float> wanted) {
  StepReport* report = report_.data();
  start_gradient();
  wanted.memory = settings_.memory;
  wanted.parameters = gradient_.data();
  wanted.dropout_step = &report->steps;
  pass_.gradient(weights_, feed.in(), feed.targets(), &report->loss, wanted);
  // Adam does not change a weight whose gradient has always been 0.
  for (const ParameterRange& range : spec_.frozen()) {
    backend_.clear(gradient_.data() + range.offset, range.size * sizeof(float));
  }
}

void TrainingStep::add_ranks() {
  if (rank_sum_ != nullptr) {
    rank_sum_->add(spec_.parameters(), gradient_.data(), &report_.data()->loss);
  } else if (!ranks_.alone()) {
    add_on_host();
  }
}

void TrainingStep::add_on_host() {
  StepReport report;
  report_.read({&report, 1});
  gradient_.read(on_host_);
  ranks_.sum(on_host_);
  ranks_.sum(std::span(&report.loss, 1));
  gradient_.write(on_host_);
  report_.write({&report, 1});
}

void TrainingStep::update() {
  const std::size_t count = spec_.parameters();
  StepReport* report = report_.data();
  backend_.check_gradient(count, gradient_.data(), report);
  backend_.adam(settings_.adam, settings_.clip_norm, count, gradient_.data(), report,
                weights_.values.data(), mean_.data(), variance_.data());
  weights_.update();
}

// Drops all recordings: scratch memory that grows for one slot moves for the others too.
void TrainingStep::forget_recordings() {
  for (Slot& slot : slots_) slot.recording.reset();
}

StepReport TrainingStep::wait_for_oldest() {
  StepReport report;
  Slot& slot = slots_[static_cast<std::size_t>(oldest_)];
  oldest_ = (oldest_ + 1) % kMost;
  --under_way_;
  if (read_report(slot, report)) {
    report.loss = slot.loss / static_cast<double>(slot.read);
    report.gradient_norm = slot.gradient_norm / static_cast<double>(slot.read);
  }
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

// Recordings contain the learning rate.
void TrainingStep::set_rate(double rate) {
  if (rate == settings_.adam.rate) return;
  settings_.adam.rate = rate;
  forget_recordings();
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
