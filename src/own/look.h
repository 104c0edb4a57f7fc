// src/own/look.h: what files are taken for, before anything is trained on them: `rwa inspect DATA`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/files.h"
#include "read/reader.h"

namespace rwa::own {

struct Look {
  read::Schema schema;
  data::Statistics seen;  // its labels in the order of `labels`
  std::vector<std::string> labels, symbols;
  std::vector<std::pair<std::string, read::Sequence>> first;  // file, sequence; as they stand there
};

// Reads all of the task's training files. Throws as read::open() and Reader do.
Look look(const data::FilesTask& task);

std::string to_text(const Look& look);

}  // namespace rwa::own
