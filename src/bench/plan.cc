// src/bench/plan.cc: names, limits and the order of the measurements.
#include "bench/plan.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/names.h"
#include "base/repeated.h"
#include "cells/traits.h"
#include "rwa/errors.h"

namespace rwa::bench {
namespace {

constexpr Names<Mode, 3> kModes{
    {{Mode::kForward, "forward"}, {Mode::kTrain, "train"}, {Mode::kStream, "stream"}}};

constexpr Names<Network, 5> kNetworks{{{Network::kLayer, "layer"},
                                       {Network::kUpper, "upper"},
                                       {Network::kStack, "stack"},
                                       {Network::kBidirectional, "bidirectional"},
                                       {Network::kEmbedding, "embedding"}}};

// Rejects duplicates: measuring a row twice would tell nothing new.
template <class T>
void check_list(std::string_view what, const std::vector<T>& values, std::size_t least = 1) {
  if (values.size() < least) {
    throw ConfigError(fmt::format("{} is empty, expected at least one", what));
  }
  const auto twice = repeated(values);
  if (!twice) return;
  if constexpr (std::is_enum_v<T>) {
    throw ConfigError(fmt::format("{} has {} twice, expected it once", what, to_string(*twice)));
  } else {
    throw ConfigError(fmt::format("{} has {} twice, expected it once", what, *twice));
  }
}

// Another implementation, with the variants that are worth a row.
struct Peer {
  std::string name;
  Cell cell;
  std::vector<std::string> variants;
};

const std::vector<Peer>& known_peers(const std::string& device) {
  static const std::vector<Peer> on_cpu = {{"onednn-lstm", Cell::kLstm, {""}},
                                           {"torch-lstm", Cell::kLstm, {""}},
                                           {"torch-rwa", Cell::kRwa, {""}},
                                           {"rwa.torch", Cell::kRwa, {""}}};
  // cuDNN leaves the choice of algorithm to the caller; each is the fastest for some size.
  static const std::vector<Peer> on_gpu = {
      {"cudnn-lstm",
       Cell::kLstm,
       {"fp32 standard", "fp32 persist-static", "fp32 persist-small", "fp32 persist-dynamic",
        "tf32 standard", "tf32 persist-static", "tf32 persist-small", "tf32 persist-dynamic",
        "fp16 standard", "fp16 persist-static", "fp16 persist-small", "fp16 persist-dynamic"}},
      {"torch-lstm", Cell::kLstm, {"fp32"}},
      {"torch-rwa", Cell::kRwa, {"eager", "graph", "compiled graph"}},
      {"rwa.torch", Cell::kRwa, {""}},
      {"jax-rwa", Cell::kRwa, {"jit"}}};
  return device == "cpu" ? on_cpu : on_gpu;
}

void check_peers(const Plan& plan) {
  const std::vector<std::string> known = default_plan(plan.device).peers;
  for (const std::string& name : plan.peers) {
    if (std::ranges::find(known, name) == known.end()) {
      throw ConfigError(
          fmt::format("unknown peer '{}', expected one of: {}", name, fmt::join(known, ", ")));
    }
  }
}

// Adds rwa's own rows of one mode and size.
void add_own(const Plan& plan, const Case& common, std::vector<Case>& list) {
  // Only training keeps a tape, and only whole sequences have lengths.
  const auto memories =
      common.mode == Mode::kTrain ? plan.memories : std::vector<Memory>{Memory::kFull};
  const bool ragged = plan.ragged && common.mode != Mode::kStream;
  for (const bool unequal : {false, true}) {
    if (unequal && !ragged) continue;
    for (const Cell cell : plan.cells) {
      for (const Network network : plan.networks) {
        // Streams are measured for a single layer only.
        if (common.mode == Mode::kStream && network != Network::kLayer) continue;
        for (const Memory memory : memories) {
          Case what = common;
          what.name = rwa::to_string(cell);
          what.cell = cell;
          what.network = network;
          what.memory = memory;
          what.ragged = unequal;
          list.push_back(what);
        }
      }
    }
  }
}

void add_peers(const Plan& plan, const Case& common, std::vector<Case>& list) {
  for (const Peer& peer : known_peers(plan.device)) {
    if (std::ranges::find(plan.peers, peer.name) == plan.peers.end()) continue;
    for (const std::string& variant : peer.variants) {
      Case what = common;
      what.name = peer.name;
      what.cell = peer.cell;
      what.peer = true;
      what.variant = variant;
      list.push_back(what);
    }
  }
}

// Adds all rows of one mode, layer and batch.
void add_lengths(const Plan& plan, const Case& size, std::vector<Case>& list) {
  const bool stream = size.mode == Mode::kStream;
  for (const int steps : stream ? std::vector<int>{1} : plan.steps) {
    Case common = size;
    common.steps = steps;
    add_own(plan, common, list);
    add_peers(plan, common, list);
  }
}

// Operations of one forward step of one sequence in a layer with `features` features.
double layer_flops(const Case& what, double features) {
  const double h = what.units;
  const CellTraits& cell = cell_traits(what.cell);
  return 2 * h * (features * cell.x.count() + h * cell.h.count());
}

double network_flops(const Case& what) {
  switch (what.network) {
    case Network::kUpper:
      return layer_flops(what, what.units);
    case Network::kStack:
      return layer_flops(what, what.inputs) + layer_flops(what, what.units);
    case Network::kBidirectional:
      return 2 * layer_flops(what, what.inputs);
    case Network::kEmbedding:
      return layer_flops(what, kEmbeddingWidth);
    case Network::kLayer:
      break;
  }
  return layer_flops(what, what.inputs);
}

}  // namespace

std::string_view to_string(Mode mode) { return name_of(kModes, "mode", mode); }
Mode parse_mode(std::string_view name) { return parse_name(kModes, "mode", name); }
std::string_view to_string(Network network) { return name_of(kNetworks, "network", network); }
Network parse_network(std::string_view name) { return parse_name(kNetworks, "network", name); }

Plan default_plan(const std::string& device) {
  Plan plan;
  plan.device = device;
  if (!plan.on_cpu()) {
    plan.steps = {784, 1000};
    plan.modes = {Mode::kForward, Mode::kTrain};
  }
  for (const Peer& peer : known_peers(device)) plan.peers.push_back(peer.name);
  return plan;
}

void check(const Plan& plan) {
  check_list("--batch", plan.batches);
  check_list("--units", plan.units);
  check_list("--steps", plan.steps);
  check_list("--cells", plan.cells);
  check_list("--networks", plan.networks);
  check_list("--mode", plan.modes);
  check_list("--memory", plan.memories);
  check_list("--peers", plan.peers, 0);
  check_peers(plan);
  if (!plan.on_cpu() && std::ranges::find(plan.modes, Mode::kStream) != plan.modes.end()) {
    throw ConfigError(fmt::format(
        "mode stream is for the CPU only; with --device {} use forward or train", plan.device));
  }
}

std::vector<Case> cases(const Plan& plan) {
  std::vector<Case> list;
  for (const Mode mode : plan.modes) {
    const bool stream = mode == Mode::kStream;
    for (const int units : plan.units) {
      for (const int batch : stream ? std::vector<int>{1} : plan.batches) {
        Case size;
        size.device = plan.device;
        size.mode = mode;
        size.batch = batch;
        size.units = units;
        size.inputs = plan.inputs;
        size.threads = stream ? 1 : plan.threads;
        add_lengths(plan, size, list);
      }
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
  const double forward = network_flops(what);
  double sequences = what.batch;
  if (what.ragged) {
    const auto lengths = ragged_lengths(what.steps, what.batch);
    sequences = std::accumulate(lengths.begin(), lengths.end(), 0.0) / what.steps;
  }
  return sequences * forward * (what.mode == Mode::kTrain ? 3 : 1);
}

std::string variant_of(const Case& what) {
  std::string text = what.variant;
  if (what.network != Network::kLayer) text = to_string(what.network);
  const auto add = [&](const char* word) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  };
  if (what.memory == Memory::kChunked) add("chunked");
  if (what.ragged) add("ragged");
  return text;
}

std::string describe(const Case& what) {
  std::string text = fmt::format("{} {}", what.name, to_string(what.mode));
  if (what.mode != Mode::kStream) text += fmt::format(", batch {}", what.batch);
  text += fmt::format(", units {}", what.units);
  if (what.mode != Mode::kStream) text += ", " + counted(what.steps, "step");
  const std::string variant = variant_of(what);
  return variant.empty() ? text : text + ", " + variant;
}

}  // namespace rwa::bench
