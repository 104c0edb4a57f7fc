// include/rwa/trainer.h: trains a model, one optimiser step at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rwa/export.h"
#include "rwa/link.h"
#include "rwa/model.h"

namespace rwa {

// The defaults are the settings of the paper: Adam without gradient clipping.
struct TrainerOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;  // clip gradients to this norm; 0: off
  // Truncated backpropagation through time: sequences are cut into parts of this many steps. Each
  // part is one Adam step; it starts from the final state of the part before and sends no gradient
  // back to it. step() reports the mean over the targets of all parts. A part without targets (the
  // readout is the last step, and no sequence ends there) only passes its state on. 0: off. Not
  // available for networks that need the whole sequence (see Stream).
  int truncate = 0;
  SessionOptions session = {};
  // Connects the ranks that train the same model, from the same weights and with the same options.
  // It must outlive the trainer. Null: no other ranks. Each step is one step of all ranks: every
  // rank submits its rows rank_rows() of the batch, possibly none, and afterwards all ranks have
  // bit-identical results and weights. Up to 8 CPU ranks reproduce the bits of one process that
  // trains on the whole batch; with more ranks, or GPUs, the order of the sums depends on the
  // number of ranks.
  Link* link = nullptr;
};

// The rows [begin, end) of a batch.
struct RankRows {
  int begin, end;
};
// Returns the rows of a batch of `batch` sequences that rank `rank` of `ranks` takes.
[[nodiscard]] RWA_EXPORT RankRows rank_rows(int batch, int ranks, int rank);

struct StepResult {
  double loss = 0;           // before the update; with dropout, that of the thinned network
  double gradient_norm = 0;  // before clipping
};

// The state of the optimiser. Restoring it and the weights resumes training bit for bit.
struct TrainerState {
  std::int64_t steps = 0;
  std::vector<float> mean, variance;  // Adam's moments, in the order of Model::weights()
};

// Trains a model in place. No session of the model may run during a step.
class RWA_EXPORT Trainer {
 public:
  explicit Trainer(Model& model, const TrainerOptions& options = {});
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  // Throws DivergenceError, and changes nothing, if the loss or the square of a gradient (which
  // Adam needs) is not finite. With truncation, the updates of earlier parts remain.
  StepResult step(const BatchView& batch, const TargetView& targets);
  // submit() and collect() split step() in two, so that the device computes while the caller
  // prepares the next batch. The batch must stay unchanged until its step is collected. Throws
  // InputError if more than kMostSubmitted steps are pending, or if step(), state() or set_state()
  // is called while one is. A submitted step takes effect even if it is never collected.
  static constexpr int kMostSubmitted = 2;
  void submit(const BatchView& batch, const TargetView& targets);
  // Returns the result of the oldest pending step. Throws like step(). If a step has diverged, the
  // steps submitted after it change nothing and are no longer pending.
  StepResult collect();
  [[nodiscard]] std::int64_t steps() const;  // Adam steps collected so far

  // Applies to steps submitted from now on. Throws ConfigError for an invalid rate.
  void set_learning_rate(double rate);

  [[nodiscard]] const TrainerState& state() const;
  // Throws InputError if the number of parameters differs, steps or a variance is negative, or a
  // value is not finite.
  void set_state(TrainerState state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa
