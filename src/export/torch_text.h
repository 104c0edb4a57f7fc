// src/export/torch_text.h: renders the Python code of a network from torch_module.py.in.
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

// The contents of torch_module.py.in. Its first lines describe the syntax of templates.
extern const std::string_view kTorchModule;

// The conditions and values of a template.
struct Filling {
  std::set<std::string, std::less<>> words;                // the conditions that hold
  std::map<std::string, std::string, std::less<>> values;  // by name
};

// Throws std::logic_error if a template has an unknown value or an #if without #end.
std::string render(std::string_view text, const Filling& filling);

// Returns whether torch.nn has these recurrent layers: an LSTM or a GRU with tanh.
bool is_of_torch(const ModelConfig& config);

// With an encoding, the module also has the names of its inputs and outputs, and predict().
std::string torch_module_text(const ModelConfig& config,
                              const std::optional<datasets::Encoding>& encoding);

}  // namespace rwa::exports
