// src/workflows/look.h: what files are taken for, before anything is trained on them: `rwa inspect DATA`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "datasets/files.h"
#include "formats/reader.h"

namespace rwa::workflows {

struct Look {
  formats::Schema schema;
  datasets::Statistics seen;  // its labels in the order of `labels`
  std::vector<std::string> labels, symbols;
  std::vector<std::pair<std::string, formats::Sequence>>
      first;  // file, sequence; as they stand there
};

// Reads all of the task's training files. Throws as formats::open() and Reader do.
Look look(const datasets::FilesTask& task);

std::string to_text(const Look& look);

}  // namespace rwa::workflows
