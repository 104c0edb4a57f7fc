// src/export/torch_module_render.h: texts with parts that may be left out and values to be filled
// in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace rwa::exports {

// The text of torch_module.py.in, whose first lines say what may stand in such a text.
extern const std::string_view kTorchModule;

struct Filling {
  std::set<std::string, std::less<>> words;                // that are true
  std::map<std::string, std::string, std::less<>> values;  // by name
};

// Throws std::logic_error for a text with a value that is not given, or a part without an end.
std::string render(std::string_view text, const Filling& filling);

}  // namespace rwa::exports
