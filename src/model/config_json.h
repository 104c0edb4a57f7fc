// src/model/config_json.h: ModelConfig as JSON, for model files and other languages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "rwa/model.h"

namespace rwa {

// Visits the fields, each named once, for reading and for writing.
template <class Config, class Visitor>
void visit_fields(Config& c, Visitor& visit) {
  visit("input", c.input);
  visit("inputs", c.inputs);
  visit("embedding", c.embedding);
  visit("stem", c.stem);
  visit("channels", c.channels);
  visit("cell", c.cell);
  visit("activation", c.activation);
  visit("units", c.units);
  visit("layers", c.layers);
  visit("bidirectional", c.bidirectional);
  visit("dropout", c.dropout);
  visit("span", c.span);
  visit("lasting", c.lasting);
  visit("learned_decay", c.learned_decay);
  visit("readout", c.readout);
  visit("outputs", c.outputs);
  visit("loss", c.loss);
  visit("interval", c.interval);
  visit("code", c.code);
  visit("seed", c.seed);
}

inline std::string format_config(const ModelConfig& config) {
  nlohmann::ordered_json json;
  const auto write = [&json]<class T>(const char* name, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      json[name] = to_string(value);
    } else {
      json[name] = value;
    }
  };
  visit_fields(config, write);
  return json.dump();
}

}  // namespace rwa
