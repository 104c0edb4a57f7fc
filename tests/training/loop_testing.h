// tests/training/loop_testing.h: runs that go to their end, or are stopped on the way.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "training/loop.h"
#include "training/run_testing.h"

namespace rwa::training {

inline constexpr double kNever = 1e9;

// How a run may be done; nothing of it may change a bit.
struct How {
  int threads = 1;
  bool overlap = false;
  std::shared_ptr<const datasets::Dataset> dataset = nullptr;  // null: that of the task
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

// Stops as a signal during step `k` would have it: when that step is done.
inline Outcome run_until(const Experiment& experiment, const std::filesystem::path& folder,
                         std::int64_t k, const How& how = {}) {
  std::atomic<bool> stop{false};
  return run_with(experiment, folder, how,
                  {.checkpoint_seconds = kNever, .stop = [&stop] { return stop.load(); }},
                  [&](const Progress& progress) { stop = progress.step >= k; });
}

}  // namespace rwa::training
