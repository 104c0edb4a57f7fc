// src/c_api/library.cc: the version, the available devices and cells.
#include "c_api/guard.h"
#include "c_api/json.h"
#include "cells/traits.h"
#include "rwa/c_api.h"
#include "rwa/device.h"
#include "rwa/version.h"

using rwa::c_api::guarded;

namespace {
nlohmann::ordered_json describe(const rwa::CellTraits& cell) {
  nlohmann::ordered_json spread = nullptr;
  if (cell.spread_bias >= 0) {
    spread = cell.letters.substr(static_cast<std::size_t>(cell.spread_bias), 1);
  }
  return {{"name", cell.name},         {"title", cell.title},   {"description", cell.description},
          {"averages", cell.averages}, {"gates", cell.letters}, {"initial_bias", cell.initial_bias},
          {"spread", spread}};
}
}  // namespace

extern "C" {

int rwa_c_api_version(void) { return RWA_C_API_VERSION; }

const char* rwa_version(void) {
  static const std::string version(rwa::version());
  return version.c_str();
}

rwa_result rwa_devices(const char** json) {
  return guarded([&] {
    rwa::c_api::require(json, "json");
    auto all = nlohmann::ordered_json::array();
    for (const auto& device : rwa::devices()) {
      all.push_back({{"name", device.name}, {"description", device.description}});
    }
    *json = rwa::c_api::keep_json(all);
  });
}

rwa_result rwa_cells(const char** json) {
  return guarded([&] {
    rwa::c_api::require(json, "json");
    auto all = nlohmann::ordered_json::array();
    for (const rwa::Cell cell : rwa::all_cells()) all.push_back(describe(rwa::cell_traits(cell)));
    *json = rwa::c_api::keep_json(all);
  });
}
}
