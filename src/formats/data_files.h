// src/formats/data_files.h: the files that paths of files and folders lead to, and the format of
// each.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "formats/schema.h"
#include "formats/source.h"

namespace rwa::formats {

struct DataFiles {
  std::vector<std::filesystem::path> files;
  bool in_folders = false;  // one folder for each class
};

// As open() says. Throws ConfigError and InputError likewise.
DataFiles find_files(std::span<const std::filesystem::path> paths);

// Of names/Irish.txt.gz: "Irish" and "names".
std::string name_without_endings(const std::filesystem::path& file);
std::string name_of_folder(const std::filesystem::path& file);

// The format of a file, by its content; where that leaves it open, by its name. Throws InputError
// for what is no text and none of the others.
Format recognise(Source& source);

}  // namespace rwa::formats
