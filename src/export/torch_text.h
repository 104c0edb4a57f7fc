// src/export/torch_text.h: the Python text of a network, made of torch_module.py.in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "datasets/encoding.h"
#include "rwa/model.h"

namespace rwa::exports {

// The text of torch_module.py.in, whose first lines say what may stand in such a text.
extern const std::string_view kTorchModule;

// What a text is filled in with.
struct Filling {
  std::set<std::string, std::less<>> words;                // that are true
  std::map<std::string, std::string, std::less<>> values;  // by name
};

// Throws std::logic_error for a text with a value that is not given, or a part without an end.
std::string render(std::string_view text, const Filling& filling);

// Whether the recurrent layers are those of torch.nn: an LSTM or a GRU with tanh.
bool is_of_torch(const ModelConfig& config);

// With an encoding, it also says what the numbers that come in and go out are.
std::string torch_module_text(const ModelConfig& config,
                              const std::optional<datasets::Encoding>& encoding);

}  // namespace rwa::exports
