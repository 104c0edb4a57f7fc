// src/formats/data_files.h: expands paths of files and folders to data files, and recognises their
// formats.
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
  bool in_folders = false;  // one folder per class
};

// Finds the files that open() reads. Throws ConfigError for a file that is given twice, and as
// open() does.
DataFiles find_files(std::span<const std::filesystem::path> paths);

// "Irish" and "names" for names/Irish.txt.gz.
std::string name_without_endings(const std::filesystem::path& file);
std::string name_of_folder(const std::filesystem::path& file);

// Names that differ: without folder and endings, or with the folder if two are the same, or the
// paths. "stdin" for "-".
std::vector<std::string> distinct_names(std::span<const std::filesystem::path> files);

// Recognises the format by content, or by file name if the content is ambiguous. Throws InputError
// for an empty file, for unknown binary data, and for files of other programs.
Format recognise(Source& source);

}  // namespace rwa::formats
