// src/io/safetensors.h: named F32 tensors in a safetensors file, the format of model files: 8 bytes
// of header length (little-endian), a JSON header, then the tensors' bytes. Texts are U8 tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/descriptor.h"

namespace rwa::io {

// Limits of both the reader and the writer; the format itself allows more.
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxDims = 8;

// The only header key that is not a tensor name.
inline constexpr std::string_view kMetadataKey = "__metadata__";

// No dimension is 0; a shape without dimensions is a single value. Every value is finite.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> texts = {};  // by name, not empty; stored after the tensors
};

// Accepted types: F32 as rwa writes it; also texts; or also F16, BF16 and F64, rounded to the
// nearest F32. A number too large for F32 becomes infinite and is refused.
enum class Accept { kF32, kTexts, kAnyFloat };

// Parses an untrusted file. Returns tensors in the order of their bytes. `origin` is the file's
// name for messages. Throws ModelFileError if the content breaks any rule of the format or of this
// header. Memory use is proportional to the size of `bytes`.
TensorFile parse_safetensors(std::span<const std::byte> bytes, std::string_view origin,
                             Accept accept = Accept::kF32);

// Like parse_safetensors(). Throws ResourceError if the file cannot be read or memory runs out. A
// bad header is refused before any data is read, and values are read in place, so memory use is
// about the size of the file.
TensorFile read_safetensors(const std::filesystem::path& file, Accept accept = Accept::kF32);

// Equal arguments give equal bytes: tensors in the given order, data 8-byte aligned. Throws
// InputError for anything that parse_safetensors() would refuse.
std::vector<std::byte> format_safetensors(const TensorFile& content);

// The format has no checksum, and a damaged number is still a number. seal() adds one of everything
// else to the metadata; is_intact() is false if it is missing or wrong.
inline constexpr const char* kChecksumKey = "sha256";
void seal(TensorFile& content);
[[nodiscard]] bool is_intact(const TensorFile& content);

// Replaces the file atomically. Throws as format_safetensors() and replace_file() do, and returns
// what replace_file() does.
Descriptor write_safetensors(const std::filesystem::path& file, const TensorFile& content);

}  // namespace rwa::io
