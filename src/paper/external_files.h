// src/paper/external_files.h: finds, checks and downloads the external files of the paper's
// experiments: MNIST and the authors' curves.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace rwa::paper {

// Mirrors compress the MNIST files differently, so sizes and hashes are of the content.
struct MnistFile {
  std::string_view name;
  std::uint64_t bytes;      // uncompressed; also the limit for a compressed file
  std::string_view sha256;  // uncompressed
};

inline constexpr std::array kMnistFiles{
    MnistFile{"train-images-idx3-ubyte", 47'040'016,
              "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    MnistFile{"train-labels-idx1-ubyte", 60'008,
              "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    MnistFile{"t10k-images-idx3-ubyte", 7'840'016,
              "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    MnistFile{"t10k-labels-idx1-ubyte", 10'008,
              "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
};

// The folder for downloads: $XDG_CACHE_HOME/rwa or ~/.cache/rwa. Throws ConfigError if neither
// XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();

// Returns the folder of MNIST: `asked` if given, else $RWA_DATA, else the cache, or the subfolder
// mnist/ of it. Throws ConfigError, with how to get the files, if they are not there.
std::filesystem::path find_mnist(const std::filesystem::path& asked);
// Returns the folder of the authors' curves: `asked` if given (it must exist), else that of the
// cache if it has some, else empty.
std::filesystem::path find_curves(const std::filesystem::path& asked);

// Throws InputError unless the files in `folder` have the content of MNIST. Other data sets use the
// same file names and format.
void require_mnist(const std::filesystem::path& folder);

// Receives progress messages.
using Say = std::function<void(const std::string&)>;

// Download into `folder`. Existing files with the right content are kept; for one with other
// content InputError is thrown and the file is not overwritten. Broken transfers are resumed.
// Mirrors are tried in order; $RWA_MIRROR (https://…, separated by spaces) replaces the default
// ones. Throws ResourceError if no mirror answers, InputError if none has the right content, and
// ConfigError for an RWA_MIRROR that is not https.
void download_mnist(const std::filesystem::path& folder, const Say& say);
void download_curves(const std::filesystem::path& folder, const Say& say);

}  // namespace rwa::paper
