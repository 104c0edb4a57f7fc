// src/api/training_step.h: one step of training after the other, on any device: the gradient of a
// batch, a look at it, a step of Adam. A device may work on one batch while the next is loaded.
// Where long sequences are cut into parts, each part is such a step. Where several ranks train
// together, each has the gradient of its part of the batch, and all take the step of their sum.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/ranks.h"
#include "model/network.h"
#include "rwa/trainer.h"

namespace rwa {

// A part of some steps of long sequences, which are learnt from one part after the other. Points
// into the batch that it was cut from.
struct BatchPart {
  Sequences<float> in;
  // Their rows are the answers that fall into it: of every step, or of the sequences that end here.
  Targets<float> targets;
  std::int64_t answers = 0;                      // how many these are, on all ranks
  std::unique_ptr<std::int32_t[]> lengths = {};  // those of both
};

struct TrainingSettings {
  AdamSettings adam;
  double clip_norm;  // 0: never
  Memory memory;
  int truncate = 0;  // steps of a part; 0: whole sequences
};

class TrainingStep {
 public:
  // Changes `weights`, which lie on the same backend and stay the caller's. link: to other ranks,
  // which have the same weights and settings; null: there are none.
  TrainingStep(const NetworkSpec& spec, Backend<float>& backend, NetworkWeights<float>& weights,
               const TrainingSettings& settings, Link* link = nullptr);
  // Waits for those that are under way: they read the callers' batches.
  ~TrainingStep();
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

  // Begins a step, unless kMost are under way. The batch lies in the host's memory and must stay as
  // it is until the step is collected. Of several ranks each submits the part of a batch that
  // rank_cut() gives it, perhaps nothing; else InputError.
  static constexpr int kMost = Trainer::kMostSubmitted;
  void submit(const Sequences<float>& host, const Targets<float>& host_targets);
  // Waits for the oldest that is under way; of parts, the mean over their answers. When it has
  // failed, all others, which then have changed nothing, are over with it, and the next one starts
  // afresh.
  StepReport collect();
  [[nodiscard]] int under_way() const { return under_way_; }

  // For what is submitted from now on.
  void set_rate(double rate);

  // After all that were submitted.
  [[nodiscard]] TrainerState state() const;
  void set_state(const TrainerState& state);

 private:
  struct Slot {
    std::vector<BatchPart> parts;  // which outlive the feed that reads them
    std::unique_ptr<Feed<float>> feed;
    std::unique_ptr<Readback> report;
    std::unique_ptr<Recording> recording;
    std::uint64_t shape = 0;  // of the feed when it was recorded
    // Sums over the answers of the parts whose reports have been read, how many these are, and how
    // many the one has whose report is expected; of a whole batch, as if there were one answer.
    double loss, gradient_norm;
    std::int64_t read, expected;
  };

  // The batch as parts; of several ranks, with what all have in common.
  [[nodiscard]] std::vector<BatchPart> parts_of(const Sequences<float>& in,
                                                const Targets<float>& targets);
  void load_part(Slot& slot, const BatchPart& part);
  void run_parts(Slot& slot);
  // Reads the report that is expected; returns whether all is well.
  bool read_report(Slot& slot, StepReport& report);
  // One step: a gradient, the sum over the ranks, Adam. Of a part, its states and number are given.
  // Of nothing, where other ranks have all of a batch, the gradient stays as it starts.
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
  std::unique_ptr<RankSum<float>> rank_sum_;  // null: the host adds, or there are no other ranks
  std::vector<float> on_host_;                // the gradient on its way to other ranks
  NetworkPass<float> pass_;
  Array<float> gradient_, mean_, variance_;
  Array<float, StepReport> report_;
  std::array<Array<float>, 2> states_;  // between parts, taken in turn
  std::array<Slot, kMost> slots_;       // taken in turn
  int oldest_ = 0;
  int under_way_ = 0;
};

}  // namespace rwa
