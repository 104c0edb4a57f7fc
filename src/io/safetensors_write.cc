// src/io/safetensors_write.cc: the writer. It refuses everything that the reader would refuse.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "io/replace_file.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "values and length are copied as stored");

void check_shape(const Tensor& tensor) {
  if (tensor.shape.size() > kMaxDims) {
    throw InputError(fmt::format("tensor {:?} has {} dimensions, expected at most {}", tensor.name,
                                 tensor.shape.size(), kMaxDims));
  }
  // Dividing the number of values, rather than multiplying the dimensions, cannot overflow.
  std::uint64_t remaining = tensor.values.size();
  bool exact = true;
  for (const std::int64_t dim : tensor.shape) {
    if (dim < 1) {
      throw InputError(
          fmt::format("tensor {:?} has a dimension {}, expected at least 1", tensor.name, dim));
    }
    exact = exact && remaining % static_cast<std::uint64_t>(dim) == 0;
    remaining /= static_cast<std::uint64_t>(dim);
  }
  if (!exact || remaining != 1) {
    throw InputError(fmt::format("tensor {:?} has {}, expected as many as its shape [{}] has",
                                 tensor.name, counted(tensor.values.size(), "value"),
                                 fmt::join(tensor.shape, ", ")));
  }
}

void check_values(const Tensor& tensor) {
  const auto wrong =
      std::ranges::find_if_not(tensor.values, [](float x) { return std::isfinite(x); });
  if (wrong != tensor.values.end()) {
    throw InputError(fmt::format("tensor {:?} has the value {} at index {}, expected finite values",
                                 tensor.name, *wrong, wrong - tensor.values.begin()));
  }
}

ordered_json describe(const TensorFile& content) {
  ordered_json header = ordered_json::object();
  if (!content.metadata.empty()) header[std::string(kMetadataKey)] = content.metadata;
  std::size_t offset = 0;
  const auto add = [&](const std::string& name, const char* dtype,
                       const std::vector<std::int64_t>& shape, std::size_t bytes) {
    if (name == kMetadataKey || header.contains(name)) {
      throw InputError(
          fmt::format("tensor {:?} has a name that is already taken, expected another", name));
    }
    header[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  };
  for (const Tensor& tensor : content.tensors) {
    check_shape(tensor);
    check_values(tensor);
    add(tensor.name, "F32", tensor.shape, tensor.values.size() * sizeof(float));
  }
  for (const auto& [name, text] : content.texts) {
    if (text.empty()) throw InputError(fmt::format("text {:?} is empty, expected bytes", name));
    add(name, "U8", {static_cast<std::int64_t>(text.size())}, text.size());
  }
  return header;
}

// Padded with spaces, which JSON ignores, so that the data begins at a multiple of 8 bytes.
std::string header_text(const TensorFile& content) try {
  std::string text = describe(content).dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeaderBytes) {
    throw InputError(
        fmt::format("the header with tensor names and metadata has {} bytes, "
                    "expected at most {}",
                    text.size(), kMaxHeaderBytes));
  }
  return text;
} catch (const ordered_json::type_error& error) {
  throw InputError(
      fmt::format("a tensor name or the metadata is not text, expected UTF-8: {}", error.what()));
}

}  // namespace

std::vector<std::byte> format_safetensors(const TensorFile& content) {
  const std::string header = header_text(content);
  const std::uint64_t length = header.size();
  std::size_t size = sizeof(length) + header.size();
  for (const Tensor& tensor : content.tensors) size += tensor.values.size() * sizeof(float);
  for (const auto& [name, text] : content.texts) size += text.size();

  std::vector<std::byte> bytes(size);
  std::byte* place = bytes.data();
  const auto append = [&place](const auto& range) {
    place = std::ranges::copy(std::as_bytes(std::span(range)), place).out;
  };
  append(std::span(&length, 1));
  append(header);
  for (const Tensor& tensor : content.tensors) append(tensor.values);
  for (const auto& [name, text] : content.texts) append(text);
  return bytes;
}

Descriptor write_safetensors(const std::filesystem::path& file, const TensorFile& content) try {
  return replace_file(file, format_safetensors(content));
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", file.string(), error.what()));
}

}  // namespace rwa::io
