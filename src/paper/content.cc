#include "paper/content.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/sha256.h"
#include "io/unpacked.h"
#include "paper/mnist_files.h"
#include "rwa/errors.h"

namespace rwa::paper {

namespace fs = std::filesystem;

void require_content(const fs::path& file, std::uint64_t most_bytes, std::string_view sha256) {
  io::Unpacked input(file);
  io::Sha256 sum;
  std::vector<std::byte> piece(1 << 16);
  std::uint64_t total = 0;
  for (std::size_t count = piece.size(); count == piece.size();) {
    count = input.read(piece);
    total += count;
    if (total > most_bytes) {
      throw InputError(fmt::format("{}: found more than {} bytes, expected no more than that",
                                   file.string(), most_bytes));
    }
    sum.add(std::span(piece).first(count));
  }
  if (const std::string found = sum.hex(); found != sha256) {
    throw InputError(
        fmt::format("{}: found SHA-256 {}, expected {}", file.string(), found, sha256));
  }
}

void require_mnist(const fs::path& folder) {
  for (const MnistFile& file : kMnistFiles) {
    const fs::path plain = folder / file.name;
    require_content(fs::exists(plain) ? plain : folder / fmt::format("{}.gz", file.name),
                    file.bytes, file.sha256);
  }
}

}  // namespace rwa::paper
