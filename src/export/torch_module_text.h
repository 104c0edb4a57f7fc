// src/export/torch_module_text.h: the Python text of a network.
#pragma once

#include <optional>
#include <string>

#include "datasets/encoding.h"
#include "rwa/model.h"

namespace rwa::exports {

// With an encoding, it also says what the numbers that come in and go out are.
std::string torch_module_text(const ModelConfig& config,
                              const std::optional<datasets::Encoding>& encoding);

}  // namespace rwa::exports
