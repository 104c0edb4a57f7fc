#include "paper/mnist_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rwa::paper {

std::string mnist_by_hand(const std::filesystem::path& folder) {
  std::array<std::string_view, kMnistFiles.size()> names;
  std::ranges::transform(kMnistFiles, names.begin(), &MnistFile::name);
  return fmt::format(
      "put {} (each plain, or packed with .gz at the end of its name) into {}, or into any folder "
      "that --data DIR or RWA_DATA names",
      fmt::join(names, ", "), folder.string());
}

}  // namespace rwa::paper
