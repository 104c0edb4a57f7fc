// src/io/folder.h: folders to write to.
#pragma once

#include <filesystem>

#include "rwa/errors.h"

namespace rwa::io {

// Returns the folder itself if it exists, or else the nearest one above it that does.
std::filesystem::path existing_part(const std::filesystem::path& folder);

// Throws ResourceError if the folder cannot be written to or, if it does not exist, be created.
// Creates nothing: a command that fails early leaves no folder behind.
void check_can_write(const std::filesystem::path& folder);

// Creates the folder and those above it, if they do not exist. Throws ResourceError.
void create_folders(const std::filesystem::path& folder);

// Removes the folder and those above it, below `kept`, as far as they are empty.
void remove_empty_folders(const std::filesystem::path& folder, const std::filesystem::path& kept);

// What the standard library says about a path, in our words.
ResourceError refusal(const std::filesystem::filesystem_error& error);

}  // namespace rwa::io
