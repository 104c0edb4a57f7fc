// tests/training/loop_testing.h: runs an experiment to its end, or stops it on the way.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "training/loop.h"
#include "training/run_testing.h"

namespace rwa::training {

inline constexpr double kNever = 1e9;

// How to execute a run. None of this may affect the result.
struct How {
  int threads = 1;
  bool overlap = false;
  std::shared_ptr<const datasets::Dataset> dataset = nullptr;  // null: the task's
};

inline Outcome run_with(const Experiment& experiment, const std::filesystem::path& folder,
                        const How& how, Options options, const Listener& listener = {}) {
  options.threads = how.threads;
  options.overlap = how.overlap;
  FolderStore store(folder);
  return how.dataset ? run(experiment, how.dataset, store, options, listener)
                     : run(experiment, store, options, listener);
}

inline Outcome run_quietly(const Experiment& experiment, const std::filesystem::path& folder,
                           const How& how = {}) {
  return run_with(experiment, folder, how, {.checkpoint_seconds = kNever});
}

// Stops after step `k`, as a signal during it would.
inline Outcome run_until(const Experiment& experiment, const std::filesystem::path& folder,
                         std::int64_t k, const How& how = {}) {
  std::atomic<bool> stop{false};
  return run_with(experiment, folder, how,
                  {.checkpoint_seconds = kNever, .stop = [&stop] { return stop.load(); }},
                  [&](const Progress& progress) { stop = progress.step >= k; });
}

}  // namespace rwa::training
