// src/paper/content.h: whether a file is the one that was meant.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace rwa::paper {

// Throws InputError unless what is in the file, packed with gzip or not, has this SHA-256 and no more
// bytes than that.
void require_content(const std::filesystem::path& file, std::uint64_t most_bytes,
                     std::string_view sha256);

// Throws InputError unless the files of MNIST in `folder` are those of MNIST: others have the same
// names and the same form.
void require_mnist(const std::filesystem::path& folder);

}  // namespace rwa::paper
