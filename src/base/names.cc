// src/base/names.cc: the names of the enumerations of rwa/types.h, each written once.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <utility>

#include "rwa/errors.h"
#include "rwa/types.h"

namespace rwa {
namespace {
template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<Cell, 2> kCells{{{Cell::kRwa, "rwa"}, {Cell::kLstm, "lstm"}}};
constexpr Names<Activation, 2> kActivations{
    {{Activation::kTanh, "tanh"}, {Activation::kIdentity, "identity"}}};
constexpr Names<Readout, 2> kReadouts{{{Readout::kLast, "last"}, {Readout::kEvery, "every"}}};
constexpr Names<Loss, 3> kLosses{{{Loss::kSoftmax, "softmax"},
                                  {Loss::kSigmoid, "sigmoid"},
                                  {Loss::kSquaredError, "squared-error"}}};

template <class Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N>& names, std::string_view what, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) {
      return name;
    }
  }
  throw ConfigError(fmt::format("there is no {} number {}", what, static_cast<int>(value)));
}

template <class Enum, std::size_t N>
Enum parse(const Names<Enum, N>& names, std::string_view what, std::string_view text) {
  std::array<std::string_view, N> known;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i].second == text) {
      return names[i].first;
    }
    known[i] = names[i].second;
  }
  throw ConfigError(
      fmt::format("unknown {} '{}', expected one of: {}", what, text, fmt::join(known, ", ")));
}
}  // namespace

std::string_view to_string(Cell cell) { return name_of(kCells, "cell", cell); }
std::string_view to_string(Activation a) { return name_of(kActivations, "activation", a); }
std::string_view to_string(Readout readout) { return name_of(kReadouts, "readout", readout); }
std::string_view to_string(Loss loss) { return name_of(kLosses, "loss", loss); }
Cell parse_cell(std::string_view name) { return parse(kCells, "cell", name); }
Activation parse_activation(std::string_view name) {
  return parse(kActivations, "activation", name);
}
Readout parse_readout(std::string_view name) { return parse(kReadouts, "readout", name); }
Loss parse_loss(std::string_view name) { return parse(kLosses, "loss", name); }

}  // namespace rwa
