// src/io/safetensors_seal.cc: the checksum of a file's content. Sizes precede what they measure, so
// that no two contents are summed as the same bytes.
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/safetensors.h"
#include "io/sha256.h"

namespace rwa::io {
namespace {

std::string checksum_of(const TensorFile& content) {
  Sha256 sha;
  const auto add = [&sha](const auto& range) { sha.add(std::as_bytes(std::span(range))); };
  const auto add_pair = [&](std::string_view key, std::string_view value) {
    add(fmt::format("{}:{} {}:{} ", key.size(), key, value.size(), value));
  };
  for (const auto& [key, value] : content.metadata) {
    if (key != kChecksumKey) add_pair(key, value);
  }
  for (const Tensor& tensor : content.tensors) {
    add(fmt::format("{}:{} [{}] ", tensor.name.size(), tensor.name, fmt::join(tensor.shape, ",")));
    add(tensor.values);
  }
  for (const auto& [name, text] : content.texts) add_pair(name, text);
  return sha.hex();
}

}  // namespace

void seal(TensorFile& content) { content.metadata[kChecksumKey] = checksum_of(content); }

bool is_intact(const TensorFile& content) {
  const auto found = content.metadata.find(kChecksumKey);
  return found != content.metadata.end() && found->second == checksum_of(content);
}

}  // namespace rwa::io
