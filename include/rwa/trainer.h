// include/rwa/trainer.h: one optimiser step at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rwa/export.h"
#include "rwa/link.h"
#include "rwa/model.h"

namespace rwa {

// The paper's settings: Adam, no clipping.
struct TrainerOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;  // gradients longer than this are shortened to it; 0: never
  // Long sequences are learnt from in parts of this many steps: each part is a step of Adam of its
  // own, begins with the state that the one before has left, and sends no gradient back to it. What
  // one step() reports is the mean over the answers of its parts; parts without any, where no
  // sequence ends whose last step is read, only hand the state on. 0: as a whole. Not for networks
  // that must see the end first (those that Stream refuses).
  int truncate = 0;
  SessionOptions session = {};
  // To the other ranks that train the same model, from the same weights and with the same options;
  // it outlives the trainer; null: alone. Each step is one step of all: every rank gives its part of
  // the batch, rows rank_rows() of it, perhaps none, and all have the same result and weights
  // afterwards, to the last bit. Up to 8 ranks on CPUs have those of one process that is given the
  // whole batch; more of them, and GPUs, add up in an order that depends on the number of ranks.
  Link* link = nullptr;
};

// The rows of a batch of `batch` sequences that one of `ranks` takes: begin … end - 1.
struct RankRows {
  int begin, end;
};
[[nodiscard]] RWA_EXPORT RankRows rank_rows(int batch, int ranks, int rank);

struct StepResult {
  double loss = 0;           // before the step; where there is dropout, of what it leaves
  double gradient_norm = 0;  // before clipping
};

// What a trainer knows beside the weights. With both put back, training goes on with the same bits.
struct TrainerState {
  std::int64_t steps = 0;
  std::vector<float> mean, variance;  // Adam's, in the order of Model::weights()
};

// Changes the weights of a model; no session of that model may run meanwhile.
class RWA_EXPORT Trainer {
 public:
  explicit Trainer(Model& model, const TrainerOptions& options = {});
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  // Throws DivergenceError, and changes nothing, when the loss or the square of a gradient (Adam
  // needs it) is not finite. Of parts, those before the one that failed stay done.
  StepResult step(const BatchView& batch, const TargetView& targets);
  // The same in two parts, for a device that computes while the caller prepares the next batch. The
  // batch must stay as it is until its step is collected. At most kMostSubmitted are submitted and
  // not collected, and none when step(), state() or set_state() is called: else InputError. A
  // submitted step is done, whether or not it is collected.
  static constexpr int kMostSubmitted = 2;
  void submit(const BatchView& batch, const TargetView& targets);
  // The result of the oldest that was not collected. Throws as step() does; those submitted after
  // one that diverged have changed nothing, and are collected with it.
  StepResult collect();
  [[nodiscard]] std::int64_t steps() const;  // of Adam, collected

  // For the steps submitted from now on. Throws ConfigError as the constructor does.
  void set_learning_rate(double rate);

  [[nodiscard]] const TrainerState& state() const;
  // Throws InputError for another number of parameters, negative steps or variances, or a number
  // that is not finite.
  void set_state(TrainerState state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa
