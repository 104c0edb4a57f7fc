// src/training/checkpoint.h: the state to resume a run from: weights, optimiser and loop state, in
// one safetensors file. The tensors are those of the model, with their names in a model file,
// optimizer.mean and optimizer.variance, and, if there is a best evaluation (schedule.h), its
// weights as best.<parameter>. The metadata:
//   format "rwa-checkpoint", format_version "2"; version 1 has no best weights
//   experiment        as in config.toml
//   step, …           the fields of State
//   optimizer_steps   TrainerState::steps
//   sha256            of all other metadata and the tensors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/ranks.h"
#include "io/safetensors.h"
#include "rwa/model.h"
#include "rwa/trainer.h"
#include "training/experiment.h"
#include "training/metrics.h"
#include "training/schedule.h"

namespace rwa::training {

// The value of "format" in the metadata.
inline constexpr std::string_view kCheckpointFormat = "rwa-checkpoint";

// The state of a run after a step, except weights and optimiser. A step includes whatever is due at
// it, such as an evaluation.
struct State {
  std::int64_t step = 0;  // completed
  MetricsExtent metrics;  // what is in metrics.jsonl at this step
  double loss_sum = 0;    // over the steps since the last "train" metric
  std::int64_t loss_count = 0;
  LossRule rule;
  Best best;                    // only with patience
  std::int64_t reductions = 0;  // of the learning rate, by the plateau schedule
  double train_seconds = 0;
  double host_wait_seconds = 0;  // part of train_seconds spent waiting for data
  double evaluate_seconds = 0;
  std::string started;  // UTC
};

struct Checkpoint {
  std::filesystem::path file;  // for messages
  Experiment experiment;
  State state;  // without the best weights, which are among the tensors
  std::int64_t optimizer_steps = 0;
  std::vector<io::Tensor> tensors;
};

// Returns the content of a checkpoint file. Throws DivergenceError if a value is not finite.
io::TensorFile checkpoint_content(const Experiment& experiment, const State& state,
                                  const Model& model, const Trainer& trainer);

// Throws ModelFileError if the file is corrupted, even by one bit, ResourceError if it cannot be
// read.
Checkpoint read_checkpoint(const std::filesystem::path& file);

// The same from the content of a file or of checkpoint_content(). `file` is for messages.
Checkpoint to_checkpoint(io::TensorFile content, const std::filesystem::path& file);

// Sends rank 0's checkpoint to all ranks: the others need no access to its file.
void share(std::optional<Checkpoint>& checkpoint, Ranks& ranks);

// Restores the model and the trainer and returns the complete state. Throws ModelFileError if the
// checkpoint is from another model.
State restore(const Checkpoint& checkpoint, Model& model, Trainer& trainer);

}  // namespace rwa::training
