// src/bench/plan.h: what `rwa bench` is asked for, and the list of single measurements that
// follows.
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
  kTrain,    // forward, backward and the gradient of the weights; ours on a GPU also Adam
  kStream,   // one sequence, a step at a time, one thread; on the CPU only
};

// What is made of a cell: one layer, or what its parts are compared with.
enum class Network {
  kLayer,          // one layer that sees `inputs` features
  kUpper,          // one layer that sees as many features as it has units, and their gradient
  kStack,          // two layers: the first two of these
  kBidirectional,  // one layer both ways
  kEmbedding,      // one layer that sees 64 learned numbers for each of 10,000 symbols
};

inline constexpr int kEmbeddingSymbols = 10'000;
inline constexpr int kEmbeddingWidth = 64;

std::string_view to_string(Mode mode);
std::string_view to_string(Network network);
// Throws ConfigError with the known names.
Mode parse_mode(std::string_view name);
Network parse_network(std::string_view name);

struct Plan {
  std::string device = "cpu";  // as SessionOptions::device
  std::vector<int> batches = {100};
  std::vector<int> units = {250};
  int inputs = 1;
  std::vector<int> steps = {100, 1000};
  int threads = default_threads();
  double seconds = 2;  // of one row, over all rounds
  int rounds = 3;
  std::vector<Cell> cells = {Cell::kRwa, Cell::kLstm};
  std::vector<Network> networks = {Network::kLayer};
  std::vector<Mode> modes = {Mode::kForward, Mode::kTrain, Mode::kStream};
  std::vector<Memory> memories = {Memory::kFull, Memory::kChunked};  // of training
  bool ragged = false;             // also with sequences of unequal length
  std::vector<std::string> peers;  // some of default_plan(device).peers
  double peer_limit = 120;         // seconds after which a peer's measurement is given up

  [[nodiscard]] bool on_cpu() const { return device == "cpu"; }
};

// What is measured on that device when nothing else is asked for; with all peers there are for it.
Plan default_plan(const std::string& device);

// Throws ConfigError for sizes out of range, for what is named twice, and for what the device does
// not do. Whether there is such a device is not seen here: see bench/device.h.
void check(const Plan& plan);

// One row of the table.
struct Case {
  std::string name;  // rwa, lstm, or a peer's
  std::string device = "cpu";
  Cell cell = Cell::kRwa;
  bool peer = false;
  std::string variant;  // of a peer, as its helper knows it; empty where there is but one
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

// In the order of the table: what is compared is measured close together in time.
std::vector<Case> cases(const Plan& plan);

// Evenly spread over 0…steps, in an order that does not help anyone.
std::vector<std::int32_t> ragged_lengths(int steps, int batch);

// Useful floating-point operations of one time step of the whole batch; for ragged sequences the
// mean over the steps. The output layer is not counted, what chunked memory computes again is not
// useful, and neither is a product with a one-hot row.
double flops_per_step(const Case& what);

// What tells it from others of its name: "chunked, ragged", "fp32 standard".
std::string variant_of(const Case& what);

// Such as "rwa train, batch 100, units 250, 1000 steps, chunked".
std::string describe(const Case& what);

}  // namespace rwa::bench
