// src/workflows/inspect.h: `rwa inspect`: how data are read before anything is trained on them, and
// the network of a model, an experiment or a run.
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
  datasets::Statistics statistics;  // its labels in the order of `labels`
  std::vector<std::string> labels, symbols;
  // The first sequences, each with its file, before any encoding.
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

// Whether a path is a model, an experiment or a run, by its name; everything else is data.
bool is_network(const std::filesystem::path& path);
// Of a model file, an experiment (*.toml), or the folder of a run. Throws ConfigError for anything
// else, with the nearest name where there is no such file, and what reading them throws.
NetworkSummary summarize_network(const std::filesystem::path& path);
std::string to_text(const NetworkSummary& network);

// Whether a file is whole: everything in it is read and checked as it would be before use.
// A model, a checkpoint, the folder of a run, or data. Returns a line that describes it. Throws
// ModelFileError, InputError, ConfigError or ResourceError if it is none of them, or incomplete.
std::string verify(const std::filesystem::path& path);

}  // namespace rwa::workflows
