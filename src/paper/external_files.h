// src/paper/external_files.h: the files that the paper's experiments need from elsewhere, MNIST and
// the authors' curves: where they are, whether they are the right ones, and how they are fetched.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace rwa::paper {

// Mirrors pack the files of MNIST differently: what is known is what they hold.
struct MnistFile {
  std::string_view name;
  std::uint64_t bytes;      // unpacked, and so no less than packed
  std::string_view sha256;  // unpacked
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

// Where downloads are kept and looked for: $XDG_CACHE_HOME/rwa, or ~/.cache/rwa. Throws ConfigError
// where there is no such folder because neither variable is set.
std::filesystem::path cache_folder();

// Where MNIST is: `asked` where given, else $RWA_DATA, else the cache; the files may lie in it or
// in its folder mnist/. Throws ConfigError where they are not, which says how to get them.
std::filesystem::path find_mnist(const std::filesystem::path& asked);
// The authors' curves: `asked` where given (and then it must exist), else the cache's where they
// are, else empty.
std::filesystem::path find_curves(const std::filesystem::path& asked);

// Throws InputError unless the files of MNIST in `folder` are those of MNIST: others have the same
// names and the same form.
void require_mnist(const std::filesystem::path& folder);

// Lines for people: what is being fetched, what is there already.
using Say = std::function<void(const std::string&)>;

// Download into `folder` (mnist/ and curves/ of the cache by default). Files that are there and
// right are left alone; one that is there and wrong is named in an InputError and not overwritten.
// A transfer that broke off goes on where it stopped; mirrors are tried in turn, those of
// $RWA_MIRROR (https://…, with spaces between them) instead of the usual ones where it is set.
// Throws ResourceError where no mirror answers, InputError where none has the right bytes, and
// ConfigError for an RWA_MIRROR that is not https.
void download_mnist(const std::filesystem::path& folder, const Say& say);
void download_curves(const std::filesystem::path& folder, const Say& say);

}  // namespace rwa::paper
