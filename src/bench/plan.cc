// src/bench/plan.cc: names, limits and the order of the measurements.
#include "bench/plan.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "base/names.h"
#include "base/shards.h"
#include "base/threads.h"
#include "cells/traits.h"
#include "rwa/errors.h"

namespace rwa::bench {
namespace {

constexpr int kMostRounds = 1000;
constexpr double kMostSeconds = 3600;
// The product of any three sizes still fits 64 bits; memory runs out long before.
constexpr int kMostSize = 1'000'000;

constexpr Names<Mode, 3> kModes{
    {{Mode::kForward, "forward"}, {Mode::kTrain, "train"}, {Mode::kStream, "stream"}}};

void check_range(std::string_view what, int value, int most) {
  if (value < 1 || value > most) {
    throw ConfigError(fmt::format("{} is {}, expected 1 to {}", what, value, most));
  }
}

// Twice the same row would take its time and say nothing new.
template <class T>
void check_list(std::string_view what, std::vector<T> values) {
  if (values.empty()) throw ConfigError(fmt::format("{} is empty, expected at least one", what));
  std::ranges::sort(values);
  if (std::ranges::adjacent_find(values) != values.end()) {
    throw ConfigError(fmt::format("{} names one thing twice", what));
  }
}

// Our own rows of one mode and length.
void add_own(const Plan& plan, const Case& common, std::vector<Case>& list) {
  // Only training keeps anything, and only whole sequences have lengths.
  const auto memories =
      common.mode == Mode::kTrain ? plan.memories : std::vector<Memory>{Memory::kFull};
  const bool ragged = plan.ragged && common.mode != Mode::kStream;
  for (const bool unequal : {false, true}) {
    if (unequal && !ragged) continue;
    for (const Cell cell : plan.cells) {
      for (const Memory memory : memories) {
        Case what = common;
        what.name = rwa::to_string(cell);
        what.cell = cell;
        what.memory = memory;
        what.ragged = unequal;
        list.push_back(what);
      }
    }
  }
}

void add_peers(const Case& common, std::vector<Case>& list) {
  constexpr std::array<std::pair<const char*, Cell>, 3> kPeers{
      {{"onednn-lstm", Cell::kLstm}, {"torch-lstm", Cell::kLstm}, {"torch-rwa", Cell::kRwa}}};
  for (const auto& [name, cell] : kPeers) {
    Case what = common;
    what.name = name;
    what.cell = cell;
    what.peer = true;
    list.push_back(what);
  }
}

}  // namespace

std::string_view to_string(Mode mode) { return name_of(kModes, "mode", mode); }
Mode parse_mode(std::string_view name) { return parse_name(kModes, "mode", name); }

int default_threads() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kShards);
}

void check(const Plan& plan) {
  check_range("batch", plan.batch, kMostSize);
  check_range("units", plan.units, kMostSize);
  check_range("inputs", plan.inputs, kMostSize);
  for (const int steps : plan.steps) check_range("steps", steps, kMostSize);
  check_range("threads", plan.threads, kMostThreads);
  check_range("rounds", plan.rounds, kMostRounds);
  // Written so that a NaN is refused too.
  if (!(plan.seconds > 0 && plan.seconds <= kMostSeconds)) {
    throw ConfigError(fmt::format("seconds is {}, expected more than 0 and at most {}",
                                  plan.seconds, kMostSeconds));
  }
  check_list("steps", plan.steps);
  check_list("cells", plan.cells);
  check_list("mode", plan.modes);
  check_list("memory", plan.memories);
}

std::vector<Case> cases(const Plan& plan) {
  std::vector<Case> list;
  for (const Mode mode : plan.modes) {
    const bool stream = mode == Mode::kStream;
    for (const int steps : stream ? std::vector<int>{1} : plan.steps) {
      Case common;
      common.mode = mode;
      common.batch = stream ? 1 : plan.batch;
      common.units = plan.units;
      common.inputs = plan.inputs;
      common.steps = steps;
      common.threads = stream ? 1 : plan.threads;
      add_own(plan, common, list);
      if (plan.peers) add_peers(common, list);
    }
  }
  return list;
}

std::vector<std::int32_t> ragged_lengths(int steps, int batch) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(batch), (steps + 1) / 2);
  for (int b = 0; batch > 1 && b < batch; ++b) {
    lengths[static_cast<std::size_t>(b)] =
        static_cast<std::int32_t>(std::int64_t{steps} * b / (batch - 1));
  }
  std::ranges::shuffle(lengths, std::mt19937(1));
  return lengths;
}

double flops_per_step(const Case& what) {
  const double d = what.inputs;
  const double h = what.units;
  const CellTraits& cell = cell_traits(what.cell);
  const double forward = 2 * h * ((d + h) * cell.gates + d * cell.inputs);
  double sequences = what.batch;
  if (what.ragged) {
    const auto lengths = ragged_lengths(what.steps, what.batch);
    sequences = std::accumulate(lengths.begin(), lengths.end(), 0.0) / what.steps;
  }
  return sequences * forward * (what.mode == Mode::kTrain ? 3 : 1);
}

std::string describe(const Case& what) {
  std::string text = fmt::format("{} {}", what.name, to_string(what.mode));
  if (what.mode != Mode::kStream) text += fmt::format(", {} steps", what.steps);
  if (what.memory == Memory::kChunked) text += ", chunked";
  if (what.ragged) text += ", ragged";
  return text;
}

}  // namespace rwa::bench
