// src/workflows/imported.h: gives an imported network the encoding of its data, so that it can
// predict for files as a trained model does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/files.h"
#include "export/torch_import.h"
#include "rwa/model.h"
#include "training/settings.h"

namespace rwa::workflows {

// The numbers that the network saw with mean 0 and deviation 1.
enum class Standardised { kNone, kFeatures, kAll };  // all: targets too
std::string_view to_string(Standardised standardised);
Standardised parse_standardised(std::string_view name);
inline void from_name(std::string_view name, Standardised& value) {
  value = parse_standardised(name);
}

inline constexpr Standardised kUsualStandardised = Standardised::kFeatures;

// What data does not tell about a network that was trained on it.
struct NetworkData {
  // In the order of the network's outputs and embedding; more than the data has is fine. Empty: as
  // rwa train would sort them. Symbols may end with datasets::kUnknown, for all others.
  std::vector<std::string> labels = {}, symbols = {};
  std::optional<Standardised> standardise = {};  // empty: kUsualStandardised
};

// Imports a network that was trained on such data. Readout and loss that are not given follow from
// the task. Throws ConfigError if the data does not fit the network, and as exports::import_torch()
// does.
Model import_torch(const std::filesystem::path& file, exports::ImportOptions options,
                   const datasets::Files& data, const NetworkData& network);
// The same for the files that the settings name as training data.
Model import_torch(const std::filesystem::path& file, const exports::ImportOptions& options,
                   const training::Overrides& data, const NetworkData& network);

}  // namespace rwa::workflows
