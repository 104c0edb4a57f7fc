// src/training/loop.h: the training loop of all experiments: batches, steps, evaluations, metrics,
// checkpoints and resuming. If several ranks share a run, only rank 0 accesses the store; all take
// the same steps and reach the same end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "datasets/dataset.h"
#include "rwa/link.h"
#include "training/evaluation.h"
#include "training/experiment.h"
#include "training/run_store.h"

namespace rwa::training {

// Options that do not affect the results of a run, except time_budget and finish.
struct Options {
  int threads = 1;
  int share = 1;  // number of runs that share the GPU
  // Prepare batches on another thread and submit a step before the last one is collected. Absent:
  // true unless the device is the CPU, which would compete with itself.
  std::optional<bool> overlap = {};
  double checkpoint_seconds = 60;  // between checkpoints; 0: after every step
  Memory memory = Memory::kFull;
  // End the run, as if its steps were done, after this many seconds of work, including the time
  // before a resume. Makes the result depend on the speed of the machine.
  std::optional<double> time_budget = {};
  std::filesystem::path data_folder = {};  // for tasks with files
  // Returns true after a signal: run() completes pending steps, writes a checkpoint (unless the
  // loss is diverging: the last good one stays) and returns. Absent: never.
  std::function<bool()> stop = {};
  // Returns true to end the run, as if its steps were done, after the pending steps and at least
  // one. Absent: never.
  std::function<bool()> finish = {};
  // Gets the outputs of the final evaluation, batch by batch (evaluation.h).
  OutputListener final_outputs = {};
  // Connects ranks that call run() with the same experiment and data. A signal to one counts for
  // all. Null: no other ranks.
  Link* link = nullptr;
  std::string device = {};  // this rank's GPU; empty: the experiment's device
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double loss = 0;              // of the last training step, in the task's unit
  std::optional<Metric> test;   // the last evaluation, on test or validation samples
  double steps_per_second = 0;  // a moving average
  double seconds_left = 0;      // at this speed, or of the time budget
};
using Listener = std::function<void(const Progress&)>;

enum class Outcome {
  kFinished,
  kAlreadyFinished,  // before this call, which did nothing
  kInterrupted,
};

// Returns whether the run is finished already, without changing anything. Throws like run(), naming
// the folder, for errors in the experiment or the folder. Does not check the files of a task, nor
// anything that depends on them.
bool check(const Experiment& experiment, const std::filesystem::path& folder,
           const std::optional<double>& time_budget = {});

// Runs the experiment in a store, from the start or from its checkpoint; the result is
// bit-identical to an uninterrupted run. A different number of steps than in the store, but no
// fewer than done, continues the run, except with a cosine schedule; a run that ended by patience
// stays finished. Throws ConfigError if the store belongs to another experiment (listing the
// differences) or another process, DivergenceError if training diverges (naming step and tensor;
// the last good checkpoint stays), and ModelFileError, InputError and ResourceError for files.
Outcome run(const Experiment& experiment, std::shared_ptr<const datasets::Dataset> dataset,
            RunStore& store, const Options& options, const Listener& listener);
// The same, but open the data of the task; in a store or a folder.
Outcome run(const Experiment& experiment, RunStore& store, const Options& options,
            const Listener& listener);
Outcome run(const Experiment& experiment, const std::filesystem::path& folder,
            const Options& options, const Listener& listener);

}  // namespace rwa::training
