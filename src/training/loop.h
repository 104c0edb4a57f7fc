// src/training/loop.h: the training loop that all experiments share: batches, steps, evaluations,
// metrics, checkpoints, and going on where a run was left. Of several ranks that do one run together
// rank 0 alone looks at the store and writes; all take the same steps and come to the same end.
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

// What may differ between runs with equal bits.
struct Options {
  int threads = 1;
  int share = 1;  // how many runs use the GPU side by side
  // Makes batches on another thread, and submits a step before the last one is collected. Absent:
  // where the device is not the CPU, which would only compete with itself.
  std::optional<bool> overlap = {};
  double checkpoint_seconds = 60;  // between checkpoints; 0: after every step
  Memory memory = Memory::kFull;
  // After so many seconds of work, those before a checkpoint included, the run ends as if its steps
  // were done. The only thing that makes the result depend on the machine.
  std::optional<double> time_budget = {};
  std::filesystem::path data_folder = {};  // for tasks with files
  // True after a signal: the steps begun are finished, a checkpoint written (unless training seems
  // to diverge: the last good one stays), and run() returns. Absent: never.
  std::function<bool()> stop = {};
  // True where the caller wants an end: after the steps begun, and at least one, the run ends as if
  // its steps were done. Absent: never.
  std::function<bool()> finish = {};
  // Gets the outputs that the final score is taken of, batch by batch (evaluation.h).
  OutputListener final_outputs = {};
  // To the other ranks, which call run() with the same experiment and data; a signal to one of them
  // is one to all. Null: there are none.
  Link* link = nullptr;
  std::string device = {};  // which of several GPUs is this rank's; empty: the experiment's device
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double loss = 0;              // of the last training step, in the task's unit
  std::optional<Metric> test;   // the last evaluation, of test or validation samples
  double steps_per_second = 0;  // a moving average
  double seconds_left = 0;      // at that rate, or of the time budget
};
using Listener = std::function<void(const Progress&)>;

enum class Outcome {
  kFinished,
  kAlreadyFinished,  // before this call: nothing was done
  kInterrupted,
};

// Throws what run() would about the experiment and what is in the folder, naming the folder, and
// changes nothing. It does not look for the files of a task, nor at what depends on them.
// True: the run is finished already.
bool check(const Experiment& experiment, const std::filesystem::path& folder,
           const std::optional<double>& time_budget = {});

// Runs the experiment in a store, from its beginning or from the checkpoint there; the result has
// the bits of a run in one go. Another number of steps than in the store's own configuration, but
// no fewer than were done, is a continuation; not where the learning rate follows a cosine, and one
// that ran out of patience stays finished. Throws ConfigError where the store belongs to
// another experiment (with the differences) or to another process, DivergenceError when training
// left what can be trained (naming step and tensor; the last good checkpoint stays),
// ModelFileError, InputError and ResourceError for files.
Outcome run(const Experiment& experiment, std::shared_ptr<const datasets::Dataset> dataset,
            RunStore& store, const Options& options, const Listener& listener);
// The same with the data of the task, which are opened here; in a store, or in a folder.
Outcome run(const Experiment& experiment, RunStore& store, const Options& options,
            const Listener& listener);
Outcome run(const Experiment& experiment, const std::filesystem::path& folder,
            const Options& options, const Listener& listener);

}  // namespace rwa::training
