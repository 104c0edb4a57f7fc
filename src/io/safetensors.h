// src/io/safetensors.h: named F32 tensors in a safetensors file, the form in which models are kept:
// 8 bytes of header length (little-endian), a JSON header, then the tensors' bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rwa::io {

// What both the reader and the writer hold to; the format itself allows more.
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxDims = 8;

// The one key of the header that does not name a tensor.
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
};

// Which numbers a file may have: those of our own files, or also F16, BF16 and F64, which become
// the nearest F32; one that is too large for it is not finite.
enum class Accept { kF32, kAnyFloat };

// Reads a file that anyone may have altered. Tensors come in the order of their bytes. `origin` is
// the file's name for messages. Throws ModelFileError where the content breaks any rule of the
// format or of this header. Memory in use stays in proportion to the size of `bytes`.
TensorFile parse_safetensors(std::span<const std::byte> bytes, std::string_view origin,
                             Accept accept = Accept::kF32);

// As above; throws ResourceError where the file cannot be read or memory is short. A file with a
// wrong header is refused before its data is read; values go straight to where they stay, so that
// memory in use is about the size of the file.
TensorFile read_safetensors(const std::filesystem::path& file, Accept accept = Accept::kF32);

// Equal arguments give equal bytes: tensors in the given order, data 8-byte aligned. Throws
// InputError for what parse_safetensors() would refuse, so whatever is written can be read.
std::vector<std::byte> format_safetensors(const TensorFile& content);

// Replaces the file in one step; throws as format_safetensors() and replace_file() do.
void write_safetensors(const std::filesystem::path& file, const TensorFile& content);

}  // namespace rwa::io
