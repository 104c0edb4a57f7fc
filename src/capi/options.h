// src/capi/options.h: the settings of the program as options in JSON, by the names that its
// configuration has for them.
#pragma once

#include <concepts>
#include <string_view>

#include "capi/json.h"
#include "model/config_json.h"
#include "run/experiment.h"

namespace rwa::capi {

// Sets the fields that run/experiment_fields.h describes, where they are given.
class SettingsReader : public ConfigFields<OptionReader> {
 public:
  using ConfigFields::ConfigFields;
  using ConfigFields::operator();

  void operator()(std::string_view name, run::Schedule& value) {
    (*this)(name, value, run::parse_schedule);
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

}  // namespace rwa::capi
