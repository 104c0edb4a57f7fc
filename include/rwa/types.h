// include/rwa/types.h: the words of the library. Shapes: T steps, B sequences, D features, H units,
// O outputs; row-major, last index fastest; sequences are [T,B,·].
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rwa/export.h"

namespace rwa {

// A cell is its place in the list of src/cells; rwa/cells.h iterates over all of them.
enum class Cell {
  kRwa,        // recurrent weighted average (Ostmeyer & Cowell 2017)
  kRwaForget,  // with a forget gate: the average may let go of what came before
  kRwaDecay,   // with a half-life per unit instead of a gate
  kLstm,       // the standard LSTM with forget gate, forget bias 1
  kGru,        // gated recurrent unit, the reset gate after the product, as PyTorch has it
};

// What is applied to the state to make the unit's output: f in h = f(r), h = o f(c); of a gru to
// the candidate for it.
enum class Activation { kTanh, kIdentity };

// What a step of a sequence is.
enum class Input {
  kNumbers,  // D features
  kSymbols,  // one of D symbols, 0…D-1; it stands for a one-hot row that is nowhere written out
};

// What the output layer sees of a sequence: y is [B,O], and [T,B,O] for every step. Where both
// directions are read, the last step is each one's own.
enum class Readout {
  kLast,
  kEvery,
  kMean,       // of all steps
  kAttention,  // their average, weighted by the exponential of a learned score
};

enum class Loss {
  kSoftmax,       // cross-entropy of one class among O, in nats
  kSigmoid,       // cross-entropy of O independent yes/no labels, mean over the O, in nats
  kSquaredError,  // mean over the O
};

// What training keeps between forward and backward.
enum class Memory {
  kFull,     // every step: fastest
  kChunked,  // the state at every 32nd step; the rest is computed again: a fraction of the memory,
             // 4/3 of the work
};

// A batch of sequences, in the caller's memory.
struct BatchView {
  std::span<const float> x = {};  // [T,B,D]; steps past a sequence's length are never read
  int steps = 0;                  // T
  int batch = 0;                  // B
  std::span<const std::int32_t> lengths = {};  // [B], each in 0…T; empty: all are T
  std::span<const std::int32_t> symbols = {};  // [T,B], instead of x where the input is symbols
};

// What the outputs should have been, for the same rows as y: [B] or [T,B] classes, [B,O] or [T,B,O]
// values. For every step, those past a sequence's length are never read.
struct TargetView {
  std::span<const std::int32_t> classes = {};  // for kSoftmax
  std::span<const float> values = {};          // for kSigmoid (0…1) and kSquaredError
  // Of the sequences that a decoder has to say, whose classes are [steps,B]; others have none.
  int steps = 0;
  std::span<const std::int32_t> lengths = {};  // [B], each in 0…steps; empty: all are `steps`
};

// Names as they stand in files and on the command line; the reverse throws ConfigError with the
// known names.
RWA_EXPORT std::string_view to_string(Cell cell);
RWA_EXPORT std::string_view to_string(Activation activation);
RWA_EXPORT std::string_view to_string(Input input);
RWA_EXPORT std::string_view to_string(Readout readout);
RWA_EXPORT std::string_view to_string(Loss loss);
RWA_EXPORT std::string_view to_string(Memory memory);
RWA_EXPORT Cell parse_cell(std::string_view name);
RWA_EXPORT Activation parse_activation(std::string_view name);
RWA_EXPORT Input parse_input(std::string_view name);
RWA_EXPORT Readout parse_readout(std::string_view name);
RWA_EXPORT Loss parse_loss(std::string_view name);
RWA_EXPORT Memory parse_memory(std::string_view name);

}  // namespace rwa
