// src/c_api/json.h: options as JSON on their way in, and what comes back as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/names.h"
#include "c_api/guard.h"
#include "io/fields.h"

namespace rwa::c_api {

// The options that a caller gives; NULL is none. Those that are missing or null leave their value,
// the default of its struct, alone. `what` begins every message.
inline io::Value::Table parse_object(const char* text, std::string_view what) {
  return io::parse_json(text == nullptr ? "{}" : text, what);
}
inline io::Fields read_options(const char* text, std::string_view what) {
  return {parse_object(text, what), {.where = std::string(what), .noun = "option"}};
}

// As keep(). What is not UTF-8, which names in people's files may not be, is replaced.
inline const char* keep_json(const nlohmann::ordered_json& json) {
  return keep(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace rwa::c_api
