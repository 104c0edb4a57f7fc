// src/formats/folder.h: the files that somebody means who names files and folders.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

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
// Of x.CSV.gz: ".csv".
std::string ending(const std::filesystem::path& file);

}  // namespace rwa::formats
