// src/bench/plan.h: the settings of `rwa bench` and the measurements that follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/device.h"
#include "rwa/types.h"

namespace rwa::bench {

enum class Mode {
  kForward,  // a batch of whole sequences
  kTrain,    // forward and backward with weight gradients; rwa on a GPU also runs Adam
  kStream,   // one sequence, step by step, one thread; CPU only
};

// The network built from a cell.
enum class Network {
  kLayer,          // one layer with `inputs` features
  kUpper,          // one layer with as many features as units, and their gradient
  kStack,          // two layers: kLayer and kUpper
  kBidirectional,  // one bidirectional layer
  kEmbedding,      // one layer on a 64-wide embedding of 10,000 symbols
};

inline constexpr int kEmbeddingSymbols = 10'000;
inline constexpr int kEmbeddingWidth = 64;

std::string_view to_string(Mode mode);
std::string_view to_string(Network network);
// Throw ConfigError with the known names.
Mode parse_mode(std::string_view name);
Network parse_network(std::string_view name);

inline constexpr int kMostRounds = 1000;
inline constexpr double kMostSeconds = 3600;
// The product of any three sizes still fits into 64 bits; memory runs out long before.
inline constexpr int kMostSize = 1'000'000;

// Its numbers are within these limits.
struct Plan {
  std::string device = "cpu";  // as SessionOptions::device
  std::vector<int> batches = {100};
  std::vector<int> units = {250};
  int inputs = 1;
  std::vector<int> steps = {100, 1000};
  int threads = default_threads();
  double seconds = 2;  // per row, over all rounds
  int rounds = 3;
  std::vector<Cell> cells = {Cell::kRwa, Cell::kLstm};
  std::vector<Network> networks = {Network::kLayer};
  std::vector<Mode> modes = {Mode::kForward, Mode::kTrain, Mode::kStream};
  std::vector<Memory> memories = {Memory::kFull, Memory::kChunked};  // for training
  bool ragged = false;             // also measure sequences of unequal length
  std::vector<std::string> peers;  // some of default_plan(device).peers
  double peer_limit = 120;         // time limit for one measurement of a peer, in seconds

  [[nodiscard]] bool on_cpu() const { return device == "cpu"; }
};

// The default measurements for a device, with all its peers.
Plan default_plan(const std::string& device);

// Throws ConfigError for duplicates, and modes or peers that the device lacks.
// Does not check that the device exists: see bench/device.h.
void check(const Plan& plan);

// One row of the table.
struct Case {
  std::string name;  // a cell or a peer
  std::string device = "cpu";
  Cell cell = Cell::kRwa;
  bool peer = false;
  std::string variant;  // of a peer, as passed to its helper; empty if there is only one
  Network network = Network::kLayer;
  Mode mode = Mode::kForward;
  int batch = 1;
  int units = 1;
  int inputs = 1;
  int steps = 1;
  int threads = 1;
  Memory memory = Memory::kFull;
  bool ragged = false;

  [[nodiscard]] bool on_cpu() const { return device == "cpu"; }
};

// In the order of the table, so that rows to compare are measured close together in time.
std::vector<Case> cases(const Plan& plan);

// Evenly spread over 0…steps, in random order.
std::vector<std::int32_t> ragged_lengths(int steps, int batch);

// Useful floating-point operations per time step of the whole batch; for ragged sequences the mean
// over the steps. Not counted: the output layer, recomputation with chunked memory, and products
// with one-hot rows.
double flops_per_step(const Case& what);

// What distinguishes rows of the same name, such as "chunked, ragged" or "fp32 standard".
std::string variant_of(const Case& what);

// For example "rwa train, batch 100, units 250, 1,000 steps, chunked".
std::string describe(const Case& what);

}  // namespace rwa::bench
