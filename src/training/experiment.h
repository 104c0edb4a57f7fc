// src/training/experiment.h: everything that determines the results of a training run: task,
// network, optimiser and seed. Stored as TOML. Runs of equal experiments are bit-identical.
//
//   name = "adding-100"
//   variant = "text"
//   model = "rwa"
//   seed = 1
//   device = "cpu"
//
//   [task]
//   kind = "adding"
//   steps = 100
//   …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/model.h"
#include "rwa/trainer.h"
#include "tasks/task.h"

namespace rwa::training {

// The fields of ModelConfig that an experiment sets; see there. The task determines the others.
struct Network {
  static constexpr ModelConfig kUsual{};
  Cell cell = kUsual.cell;
  Activation activation = kUsual.activation;
  int units = kUsual.units;
  int layers = kUsual.layers;
  bool bidirectional = kUsual.bidirectional;
  double dropout = kUsual.dropout;
  int embedding = kUsual.embedding;
  std::string stem = {};  // kernel sizes, such as "15,9,5"; empty: none
  int channels = kUsual.channels;
  int span = 0;  // 0: the longest sequence of the task
  double lasting = kUsual.lasting;
  bool learned_decay = kUsual.learned_decay;
  // For tasks with one target per sequence: last, mean or attention. Tasks with a target at every
  // step read out every step.
  Readout readout = Readout::kLast;
  int code = 0;  // for tasks with a decoder; 0: same as units

  friend bool operator==(const Network&, const Network&) = default;
};

// The learning-rate schedule.
enum class Schedule {
  kConstant,
  kPlateau,  // reduced when the validation loss stops improving
  kCosine,   // half a cosine down to 1/100 at the last step; depends on the number of steps
};
std::string_view to_string(Schedule schedule);
Schedule parse_schedule(std::string_view name);
inline void from_name(std::string_view name, Schedule& value) { value = parse_schedule(name); }

// The defaults are the settings of the paper.
struct Training {
  std::int64_t steps = 10'000;
  int batch = 100;  // samples per step, from Dataset::draw()
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;
  double noise = 0;  // deviation of the noise on numbers in training; see augmentation.h
  double shift = 0;  // of a sequence in training, at most; a fraction of its length
  Schedule schedule = Schedule::kConstant;
  int truncate = 0;  // as in TrainerOptions
  // Alternative to steps while the number of sequences is unknown; 0 afterwards. Not stored.
  double epochs = 0;

  friend bool operator==(const Training&, const Training&) = default;
};

// Evaluations of a generated task score a batch of test samples during training, and all of them at
// the end. Those of files use all of the validation set, if there is one, during training, and at
// the end the test set, or the validation set if there is none.
struct Evaluation {
  std::int64_t every = 100;  // steps
  int samples = 100;         // per evaluation batch
  // Early stopping: end the run after this many evaluations in a row without a lower validation
  // loss, and keep the best weights. 0: off; keep the last weights. Requires a validation set.
  int patience = 0;
  // As in the released scripts: draw the final samples with replacement, as many as there are.
  bool final_draws = false;

  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

struct Experiment {
  std::string name = {};
  std::string variant = "text";
  std::string model = {};  // display name of the network; empty: the name of its cell
  std::uint64_t seed = 1;  // of the weights, the data and its order
  std::string device = "cpu";
  tasks::Task task = {};
  Network network = {};
  Training training = {};
  Evaluation evaluation = {};

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

// The task of an experiment on files. Not for others.
inline const datasets::FilesTask& files_task(const Experiment& experiment) {
  return std::get<datasets::FilesTask>(experiment.task);
}
inline datasets::FilesTask& files_task(Experiment& experiment) {
  return std::get<datasets::FilesTask>(experiment.task);
}
// What Network::stem may be.
inline constexpr std::string_view kStem =
    "up to 16 kernel sizes from 1 to 1024 separated by commas, such as 15,9,5 (0: none)";
bool is_stem(std::string_view text);
// Returns the kernel sizes. Throws ConfigError for another text.
std::vector<int> parse_stem(std::string_view text);
// Returns `model`, or the name of the cell if empty.
std::string model_name(const Experiment& experiment);
// Returns the network for a task of this shape. Throws ConfigError if they do not fit.
ModelConfig model_config(const Experiment& experiment, const datasets::Shape& shape);
TrainerOptions trainer_options(const Training& training, const SessionOptions& session,
                               Link* link = nullptr);

// Throws ConfigError, with `origin`, line and column, for invalid TOML, an unknown name (suggesting
// the nearest known one), or a value of the wrong type or out of range.
Experiment parse_experiment(std::string_view toml, std::string_view origin);
// Writes every field, so that later changes of defaults have no effect. parse_experiment() restores
// the experiment bit for bit.
std::string format_experiment(const Experiment& experiment);

// Returns one line per field that differs: "training.steps: 1000 there, 2000 here".
std::vector<std::string> differences(const Experiment& there, const Experiment& here);

}  // namespace rwa::training
