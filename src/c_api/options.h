// src/c_api/options.h: the settings of the program as options in JSON, by the names that its
// configuration has for them.
#pragma once

#include <concepts>
#include <string_view>

#include "c_api/json.h"
#include "model/config_json.h"
#include "training/experiment.h"

namespace rwa::c_api {

// Sets the fields that run/experiment_fields.h describes, where they are given.
class SettingsReader : public ConfigFields<OptionReader> {
 public:
  using ConfigFields::ConfigFields;
  using ConfigFields::operator();

  void operator()(std::string_view name, training::Schedule& value) {
    (*this)(name, value, training::parse_schedule);
  }
  template <std::integral Whole>
  void operator()(std::string_view name, Whole& value, int least) {
    const bool given = has(name);
    (*this)(name, value);
    if (given && std::cmp_less(value, least)) {
      fail("{} is {}, expected at least {}", name, value, least);
    }
  }
};

}  // namespace rwa::c_api
