// src/training/checkpoint.h: where a run goes on: the weights, the optimiser and what the loop knows, in
// one safetensors file. Tensors are the model's, by the names they have in a model file, and
// optimizer.mean and optimizer.variance; and where there is a best (best.h), its weights by the
// names best.<parameter>. The metadata:
//   format "rwa-checkpoint", format_version "2"; in version 1 there was no best
//   experiment        as config.toml has it
//   step, …           the fields of State
//   optimizer_steps   those of TrainerState
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
#include "training/schedule.h"

namespace rwa::training {

// Its entry "format" in the metadata.
inline constexpr std::string_view kCheckpointFormat = "rwa-checkpoint";

// What a run carries from step to step beside the weights and the optimiser. Whatever is due at a
// step, such as its evaluation, belongs to it.
struct State {
  std::int64_t step = 0;           // done
  std::int64_t metrics_bytes = 0;  // of metrics.jsonl: all that was written up to this step
  double loss_sum = 0;             // of the steps since the last line about training
  std::int64_t loss_count = 0;
  LossRule rule;
  Best best;                    // where there is patience
  std::int64_t reductions = 0;  // of the learning rate, on plateaus
  double train_seconds = 0;
  double host_wait_seconds = 0;  // of these: until the data was there
  double evaluate_seconds = 0;
  std::string started;  // UTC
};

struct Checkpoint {
  std::filesystem::path file;  // for messages
  Experiment experiment;
  State state;  // but for the weights of its best, which are among the tensors
  std::int64_t optimizer_steps = 0;
  std::vector<io::Tensor> tensors;
};

// What its file has. Throws DivergenceError where a number is not finite.
io::TensorFile checkpoint_content(const Experiment& experiment, const State& state,
                                  const Model& model, const Trainer& trainer);

// Throws ModelFileError where a single bit is wrong, ResourceError where the file cannot be read.
Checkpoint read_checkpoint(const std::filesystem::path& file);

// The same of what checkpoint_content() has made, or a file had; `file` is for messages.
Checkpoint to_checkpoint(io::TensorFile content, const std::filesystem::path& file);

// Rank 0's, on all: the others need not see its file.
void share(std::optional<Checkpoint>& checkpoint, Ranks& ranks);

// Puts the numbers where they came from, and returns the whole state. Throws ModelFileError where
// they are another model's.
State restore(const Checkpoint& checkpoint, Model& model, Trainer& trainer);

}  // namespace rwa::training
