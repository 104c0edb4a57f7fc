// src/paper/plan.h: turns a request into a list of runs, and checks all of it before the first run
// starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rwa/link.h"
#include "training/experiment.h"

namespace rwa::paper {

inline constexpr std::int64_t kMostSeeds = 1000;

struct Request {
  // Names of experiments and studies, "all" (the paper's experiments), or experiment files, *.toml.
  std::vector<std::string> names;
  bool quick = false;               // use the quick lengths; without names: all that have one
  std::vector<std::string> models;  // or cases of a study; empty: all
  // Defaults: the paper's steps, one seed, seed 1, the text variant, the CPU.
  std::optional<std::int64_t> steps, seeds, seed;
  std::optional<std::string> variant, device;
  std::filesystem::path out = "runs";
};

struct PlannedRun {
  training::Experiment experiment;
  std::filesystem::path folder;
};

// OUT/NAME[-VARIANT]/MODEL-seedS
std::filesystem::path folder_of(const training::Experiment& experiment,
                                const std::filesystem::path& out);

// Returns the runs by experiment, then seed, then model. Throws ConfigError for an invalid request.
std::vector<PlannedRun> plan(const Request& request);

// Checks the data and the folders that the runs need, without changing them. Throws what
// training::run() would throw in the middle of the work. Returns the folder of MNIST if a run needs
// it; `data` is passed to find_mnist(). Only rank 0 checks the folders.
std::filesystem::path check(std::span<const PlannedRun> runs, const std::filesystem::path& data,
                            Link* link = nullptr);

}  // namespace rwa::paper
