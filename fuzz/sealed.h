// fuzz/sealed.h: tensors with a right checksum, so that mutations reach the code behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "rwa/errors.h"
#include "targets.h"

namespace rwa::fuzz {

// Returns the file with this metadata added, and sealed; the input itself if it is no
// such file.
inline std::vector<std::uint8_t> sealed(Bytes input,
                                        const std::map<std::string, std::string>& metadata = {}) {
  try {
    io::TensorFile file = io::parse_safetensors(std::as_bytes(input), "input", io::Accept::kTexts);
    for (const auto& [key, value] : metadata) file.metadata[key] = value;
    io::seal(file);
    std::vector<std::uint8_t> bytes;
    for (const std::byte byte : io::format_safetensors(file)) {
      bytes.push_back(static_cast<std::uint8_t>(byte));
    }
    return bytes;
  } catch (const Error&) {
    return {input.begin(), input.end()};
  }
}

}  // namespace rwa::fuzz
