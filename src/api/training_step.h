// src/api/training_step.h: training steps on any device: compute the gradient of a batch, check it,
// and take an Adam step. A device may work on one batch while the next is loaded. With truncation,
// each part of a batch is one such step. With several ranks, each computes the gradient of its part
// of the batch, and all take the step of the sum.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/ranks.h"
#include "model/network.h"
#include "rwa/trainer.h"

namespace rwa {

// Consecutive steps of a batch, for truncated training. Points into the batch it was cut from.
struct BatchPart {
  Sequences<float> in;
  // The targets in this part: those of its steps, or of the sequences that end in it.
  Targets<float> targets;
  std::int64_t answers = 0;                      // number of targets, over all ranks
  std::unique_ptr<std::int32_t[]> lengths = {};  // of `in` and `targets`
};

struct TrainingSettings {
  AdamSettings adam;
  double clip_norm;  // 0: off
  Memory memory;
  int truncate = 0;  // steps per part; 0: whole sequences
};

class TrainingStep {
 public:
  // Trains `weights`, which are on the same backend and remain the caller's. `link` connects ranks
  // with the same weights and settings; null: no other ranks.
  TrainingStep(const NetworkSpec& spec, Backend<float>& backend, NetworkWeights<float>& weights,
               const TrainingSettings& settings, Link* link = nullptr);
  // Waits for pending steps, which read the callers' batches.
  ~TrainingStep();
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

  // Starts a step. At most kMost may be pending. The batch is in host memory and must stay
  // unchanged until the step is collected. Each rank submits the part of the batch that rank_cut()
  // assigns to it, possibly empty; otherwise throws InputError.
  static constexpr int kMost = Trainer::kMostSubmitted;
  void submit(const Sequences<float>& host, const Targets<float>& host_targets);
  // Waits for the oldest pending step. With truncation, returns the mean over the targets of its
  // parts. If the step has failed, drops all later pending steps, which have changed nothing.
  StepReport collect();
  [[nodiscard]] int under_way() const { return under_way_; }

  // Applies to steps submitted from now on.
  void set_rate(double rate);

  // The state after all submitted steps.
  [[nodiscard]] TrainerState state() const;
  void set_state(const TrainerState& state);

 private:
  struct Slot {
    std::vector<BatchPart> parts;  // outlives the feed that reads it
    std::unique_ptr<Feed<float>> feed;
    std::unique_ptr<Readback> report;
    std::unique_ptr<Recording> recording;
    std::uint64_t shape = 0;  // of the feed at recording time
    // Sums over the targets of the parts whose reports have been read, the number of these targets,
    // and that of the part whose report is expected next. A batch without parts counts as 1 target.
    double loss, gradient_norm;
    std::int64_t read, expected;
  };

  // Cuts the batch into parts and exchanges their sizes with the other ranks.
  [[nodiscard]] std::vector<BatchPart> parts_of(const Sequences<float>& in,
                                                const Targets<float>& targets);
  void load_part(Slot& slot, const BatchPart& part);
  void run_parts(Slot& slot);
  // Reads the next report. Returns false if the step has failed.
  bool read_report(Slot& slot, StepReport& report);
  // The pieces of one step: the gradient, the sum over ranks, Adam. A part passes its states and
  // number. A rank without rows keeps the zero gradient of start_gradient().
  void start_gradient();
  void differentiate(const Feed<float>& feed, NetworkGradient<float> wanted = {});
  void add_ranks();
  void add_on_host();
  void update();
  void forget_recordings();
  void write_report(std::int64_t steps);
  StepReport wait_for_oldest();

  NetworkSpec spec_;
  Backend<float>& backend_;
  NetworkWeights<float>& weights_;
  TrainingSettings settings_;
  Ranks ranks_;
  std::unique_ptr<RankSum<float>> rank_sum_;  // null: the host adds, or no other ranks
  std::vector<float> on_host_;                // the gradient, to exchange with other ranks
  NetworkPass<float> pass_;
  Array<float> gradient_, mean_, variance_;
  Array<float, StepReport> report_;
  std::array<Array<float>, 2> states_;  // between parts, alternating
  std::array<Slot, kMost> slots_;       // a ring buffer
  int oldest_ = 0;
  int under_way_ = 0;
};

}  // namespace rwa
