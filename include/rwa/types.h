// include/rwa/types.h: the enumerations and array views of the library. Shapes: T steps, B
// sequences, D features, H units, O outputs; row-major, last index fastest; sequences are [T,B,·].
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rwa/export.h"

namespace rwa {

// The values are the positions in the list of src/cells. rwa/cells.h iterates over all cells.
enum class Cell {
  kRwa,        // recurrent weighted average (Ostmeyer & Cowell 2017)
  kRwaForget,  // rwa with a forget gate
  kRwaDecay,   // rwa with a half-life per unit instead of a gate
  kLstm,       // standard LSTM with a forget gate, forget bias 1
  kGru,        // gated recurrent unit; reset gate after the product, as in PyTorch
};

// The function f that maps the state to the output: h = f(r), or h = o f(c). For a gru, f is
// applied to the candidate state.
enum class Activation { kTanh, kIdentity };

// The type of a time step.
enum class Input {
  kNumbers,  // D features
  kSymbols,  // one of D symbols, 0…D-1; equivalent to a one-hot row, which is never stored
};

// What the output layer sees of a sequence. The output y is [T,B,O] for kEvery, else [B,O]. In
// bidirectional networks each direction has its own last step.
enum class Readout {
  kLast,
  kEvery,
  kMean,       // mean over all steps
  kAttention,  // average over all steps, weighted by the exponential of a learned score
};

enum class Loss {
  kSoftmax,       // cross-entropy of one class among O, in nats
  kSigmoid,       // cross-entropy of O independent yes/no labels, mean over the O, in nats
  kSquaredError,  // mean over the O
  kPinball,       // outputs are lower ends, medians and upper ends of intervals, see
                  // ModelConfig::interval; mean over the O
};

// What training stores between the forward and the backward pass.
enum class Memory {
  kFull,     // every step: fastest
  kChunked,  // the state at every 32nd step; the rest is recomputed: a fraction of the memory for
             // 4/3 of the work
};

// A batch of sequences in the caller's memory.
struct BatchView {
  std::span<const float> x = {};               // [T,B,D]; never read past a sequence's length
  int steps = 0;                               // T
  int batch = 0;                               // B
  std::span<const std::int32_t> lengths = {};  // [B], each in 0…T; empty: all T
  std::span<const std::int32_t> symbols = {};  // [T,B], instead of x if the input is symbols
};

// Targets for the rows of the output y: classes are [B] or [T,B], values [B,O] or [T,B,O]. Per-step
// targets are never read past a sequence's length.
struct TargetView {
  std::span<const std::int32_t> classes = {};  // for kSoftmax
  std::span<const float> values = {};          // for all other losses; kSigmoid: 0…1
  // Only for decoders, whose classes are [steps,B].
  int steps = 0;
  std::span<const std::int32_t> lengths = {};  // [B], each in 0…steps; empty: all `steps`
};

// Conversions to and from the names used in files and on the command line. The parse functions
// throw ConfigError, listing the known names, for any other name.
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
