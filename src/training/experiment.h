// src/training/experiment.h: everything that decides the numbers of a training run: the task, the
// network, the optimiser, the seed. Written as TOML; two runs of equal experiments have equal bits.
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

// What may be chosen of a ModelConfig, which explains it; the rest is the task's.
struct Network {
  static constexpr ModelConfig kUsual{};
  Cell cell = kUsual.cell;
  Activation activation = kUsual.activation;
  int units = kUsual.units;
  int layers = kUsual.layers;
  bool bidirectional = kUsual.bidirectional;
  double dropout = kUsual.dropout;
  int embedding = kUsual.embedding;
  int span = 0;  // 0: the longest sequence of the task
  double lasting = kUsual.lasting;
  bool learned_decay = kUsual.learned_decay;
  // Of a task with one answer for a sequence: last, mean or attention. Where there is an answer at
  // every step, every one is read out.
  Readout readout = Readout::kLast;
  int code = 0;  // where the task is to say a sequence; 0: as many numbers as units

  friend bool operator==(const Network&, const Network&) = default;
};

// How the learning rate changes during a run.
enum class Schedule {
  kConstant,
  kPlateau,  // less whenever validation has not become better for a while
  kCosine,   // down to a hundredth at the end, along half a wave: depends on the number of steps
};
std::string_view to_string(Schedule schedule);
Schedule parse_schedule(std::string_view name);
inline void from_name(std::string_view name, Schedule& value) { value = parse_schedule(name); }

// The paper's settings.
struct Training {
  std::int64_t steps = 10'000;
  int batch = 100;  // as Dataset::draw() gives them
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0;
  Schedule schedule = Schedule::kConstant;
  int truncate = 0;  // as TrainerOptions
  // Instead of steps, where the number of sequences is not known yet; 0 once it is. Not kept.
  double epochs = 0;

  friend bool operator==(const Training&, const Training&) = default;
};

// Now and then a batch of test samples, and all of them at the end. Where a data set has samples
// for validation, all of these are taken instead, and the end is scored on the test samples, or
// where there are none on those for validation.
struct Evaluation {
  std::int64_t every = 100;  // steps
  int samples = 100;         // at a time
  // The run ends when this many evaluations in a row had no lower loss in validation than the best,
  // or with its last step; its weights are then those of the best. 0: those of its last step. Only
  // where there are samples for validation.
  int patience = 0;
  // The scripts score the end on as many samples as there are, drawn with replacement.
  bool final_draws = false;

  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

struct Experiment {
  std::string name = {};
  std::string variant = "text";
  std::string model = {};  // what the network is called among others; empty: as its cell
  std::uint64_t seed = 1;  // of the weights, of the data and of the order in which it is drawn
  std::string device = "cpu";
  tasks::Task task = {};
  Network network = {};
  Training training = {};
  Evaluation evaluation = {};

  friend bool operator==(const Experiment&, const Experiment&) = default;
};

// The experiment's `model`, or the name of its cell.
std::string model_name(const Experiment& experiment);
// The network for a task of this shape. Throws ConfigError where the choice does not fit the task.
ModelConfig model_config(const Experiment& experiment, const datasets::Shape& shape);
TrainerOptions trainer_options(const Training& training, const SessionOptions& session,
                               Link* link = nullptr);

// Throws ConfigError with `origin`, line and column for text that is not TOML, for a name that is
// unknown (the nearest known one is suggested), for a value of the wrong type or out of range.
Experiment parse_experiment(std::string_view toml, std::string_view origin);
// Complete: every field stands in it, so that a later default changes nothing. parse_experiment()
// gives the experiment back, to the last bit.
std::string format_experiment(const Experiment& experiment);

// One line per field that differs: "training.steps: 1000 there, 2000 here".
std::vector<std::string> differences(const Experiment& there, const Experiment& here);

}  // namespace rwa::training
