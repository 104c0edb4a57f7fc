// src/datasets/encoding_note.cc: the encoding among a model's notes, and whether it is of that model.
#include <fmt/format.h>

#include "datasets/encoding.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {

// A file can be put together from parts that do not belong together.
void check_fit(const ModelConfig& network, const Shape& data, std::string_view origin) {
  const auto check = [&](bool fits, std::string_view field, const auto& found,
                         const auto& expected) {
    if (fits) return;
    throw ModelFileError(
        fmt::format("{}: the network has {} {}, expected {}, as its note \"{}\" says", origin,
                    field, found, expected, kEncodingNote));
  };
  const auto check_equal = [&](std::string_view field, const auto& found, const auto& expected) {
    check(found == expected, field, found, expected);
  };
  check_equal("input", to_string(network.input), to_string(data.input));
  check_equal("inputs", network.inputs, data.inputs);
  check_equal("outputs", network.outputs, data.outputs);
  check_equal("loss", to_string(network.loss), to_string(data.loss));
  check_equal("code", network.code, 0);
  const bool every = data.readout == Readout::kEvery;
  check((network.readout == Readout::kEvery) == every, "readout", to_string(network.readout),
        every ? "every" : "one answer for a sequence");
}

}  // namespace

std::optional<Encoding> find_encoding(const std::map<std::string, std::string>& notes,
                                      const ModelConfig& network, std::string_view origin) {
  const auto note = notes.find(std::string(kEncodingNote));
  if (note == notes.end()) return std::nullopt;
  Encoding encoding = parse_encoding(note->second, origin);
  check_fit(network, encoding.shape(), origin);
  return encoding;
}

}  // namespace rwa::datasets
