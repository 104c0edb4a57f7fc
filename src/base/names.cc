// src/base/names.cc: the names of the enumerations in rwa/types.h, except cells (see src/cells).
#include "base/names.h"

#include <algorithm>

#include "rwa/types.h"

namespace rwa {
namespace {
char plain(char letter) {
  if (letter == '_') return '-';
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

constexpr Names<Activation, 2> kActivations{
    {{Activation::kTanh, "tanh"}, {Activation::kIdentity, "identity"}}};
constexpr Names<Input, 2> kInputs{{{Input::kNumbers, "numbers"}, {Input::kSymbols, "symbols"}}};
constexpr Names<Readout, 4> kReadouts{{{Readout::kLast, "last"},
                                       {Readout::kEvery, "every"},
                                       {Readout::kMean, "mean"},
                                       {Readout::kAttention, "attention"}}};
constexpr Names<Loss, 4> kLosses{{{Loss::kSoftmax, "softmax"},
                                  {Loss::kSigmoid, "sigmoid"},
                                  {Loss::kSquaredError, "squared-error"},
                                  {Loss::kPinball, "pinball"}}};

constexpr Names<Memory, 2> kMemories{{{Memory::kFull, "full"}, {Memory::kChunked, "chunked"}}};
}  // namespace

bool is_name(std::string_view written, std::string_view name) {
  return std::ranges::equal(written, name, {}, plain, plain);
}

std::string_view to_string(Activation a) { return name_of(kActivations, "activation", a); }
std::string_view to_string(Input input) { return name_of(kInputs, "input", input); }
std::string_view to_string(Readout readout) { return name_of(kReadouts, "readout", readout); }
std::string_view to_string(Loss loss) { return name_of(kLosses, "loss", loss); }
std::string_view to_string(Memory memory) { return name_of(kMemories, "memory", memory); }
Activation parse_activation(std::string_view name) {
  return parse_name(kActivations, "activation", name);
}
Input parse_input(std::string_view name) { return parse_name(kInputs, "input", name); }
Readout parse_readout(std::string_view name) { return parse_name(kReadouts, "readout", name); }
Loss parse_loss(std::string_view name) { return parse_name(kLosses, "loss", name); }
Memory parse_memory(std::string_view name) { return parse_name(kMemories, "memory", name); }

}  // namespace rwa
