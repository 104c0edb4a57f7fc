// src/paper/mnist_files.h: the four files of MNIST. Mirrors pack them differently: what is known is
// what they hold.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rwa::paper {

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

// What people do who have the files: an imperative for messages.
std::string mnist_by_hand(const std::filesystem::path& folder);

}  // namespace rwa::paper
