// src/workflows/inspect.h: `rwa inspect`: how data is read before training, and the network of a
// model, an experiment or a run.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "datasets/files.h"
#include "formats/reader.h"
#include "rwa/model.h"

namespace rwa::workflows {

struct DataSummary {
  formats::Schema schema;
  formats::Findings findings;
  datasets::Statistics statistics;  // with label counts in the order of `labels`
  std::vector<std::string> labels, symbols;
  // The first sequences, not encoded, each with its file.
  std::vector<std::pair<std::string, formats::Sequence>> first;
};

// Reads all training files of the task. Throws as formats::open() and Reader do.
DataSummary summarize_data(const datasets::FilesTask& task);
std::string to_text(const DataSummary& data);

struct NetworkSummary {
  std::string kind;  // "a model", "an experiment", "a run"
  ModelConfig config;
  std::vector<NetworkPart> parts;
};

// Whether a path is a model, an experiment or a run, by its name. Any other path is data.
bool is_network(const std::filesystem::path& path);
// Reads a model file, an experiment (*.toml) or a run folder. Throws ConfigError for anything else,
// suggesting the nearest name if the file does not exist, and whatever reading throws.
NetworkSummary summarize_network(const std::filesystem::path& path);
std::string to_text(const NetworkSummary& network);

// Reads and checks a model, a checkpoint, a run folder or data completely. Returns a line that
// describes it. Throws ModelFileError, InputError, ConfigError or ResourceError if it is invalid or
// incomplete.
std::string verify(const std::filesystem::path& path);
// Returns the data files in a folder. Empty for a file or a run folder, and if the folder itself is
// refused.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

}  // namespace rwa::workflows
