// src/c_api/json.h: reads options from JSON and returns results as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/names.h"
#include "c_api/guard.h"
#include "io/fields.h"

namespace rwa::c_api {

// Parse the caller's options; NULL is the same as "{}". Options that are missing or null keep the
// default of their struct. `what` starts every message.
inline io::Value::Table parse_object(const char* text, std::string_view what) {
  return io::parse_json(text == nullptr ? "{}" : text, what);
}
inline io::Fields read_options(const char* text, std::string_view what) {
  return {parse_object(text, what), {.where = std::string(what), .noun = "option"}};
}

// Like keep(). Replaces invalid UTF-8, which names from user files may contain.
inline const char* keep_json(const nlohmann::ordered_json& json) {
  return keep(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace rwa::c_api
