// src/model/config_json.h: ModelConfig as JSON, for the model's file and for other languages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "rwa/model.h"

namespace rwa {

// The fields of a description, each named once; reading and writing walk through them.
template <class Config, class Visitor>
void visit_fields(Config& c, Visitor& visit) {
  visit("input", c.input);
  visit("inputs", c.inputs);
  visit("embedding", c.embedding);
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

// Enumerations by their names, beside what the reader of fields knows: one that insists on every
// field, or one that leaves alone what is missing.
template <class Reader>
class ConfigFields : public Reader {
 public:
  using Reader::Reader;
  using Reader::operator();
  void operator()(std::string_view name, Input& value) { (*this)(name, value, parse_input); }
  void operator()(std::string_view name, Cell& value) { (*this)(name, value, parse_cell); }
  void operator()(std::string_view name, Activation& value) {
    (*this)(name, value, parse_activation);
  }
  void operator()(std::string_view name, Readout& value) { (*this)(name, value, parse_readout); }
  void operator()(std::string_view name, Loss& value) { (*this)(name, value, parse_loss); }
};

}  // namespace rwa
