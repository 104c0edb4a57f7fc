#include "workflows/stream_state.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "io/quote.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "rwa-stream";
// Before ids, so that none of them is a name of something else.
constexpr std::string_view kStream = "stream:";
constexpr std::string_view kTail = "tail:";

std::string checksum_of(const Model& model) { return io::sha256(std::as_bytes(model.weights())); }

void check_origin(const fs::path& file, const io::TensorFile& content, const Model& model) {
  const auto value = [&](const char* key) {
    const auto found = content.metadata.find(key);
    return found == content.metadata.end() ? std::string() : found->second;
  };
  if (value("format") != kFormat) {
    throw ModelFileError(
        fmt::format("{}: found the format {}, expected {}: a file that rwa stream has saved",
                    file.string(), io::quote(value("format")), io::quote(kFormat)));
  }
  if (value("model") != checksum_of(model)) {
    throw ModelFileError(fmt::format(
        "{}: found the state of another model, expected that of the one whose weights have the "
        "SHA-256 {}",
        file.string(), checksum_of(model)));
  }
}

}  // namespace

void write_streams(const fs::path& file, const Model& model, const StreamsById& streams) {
  io::TensorFile content;
  content.metadata = {{"format", std::string(kFormat)}, {"model", checksum_of(model)}};
  for (const auto& [id, stream] : streams) {
    io::Tensor& tensor = content.tensors.emplace_back();
    tensor.name = std::string(kStream) + id;
    tensor.values = stream.state;
    tensor.values.insert(tensor.values.end(), stream.last.begin(), stream.last.end());
    tensor.shape = {static_cast<std::int64_t>(tensor.values.size())};
    if (!stream.tail.empty()) content.metadata.emplace(std::string(kTail) + id, stream.tail);
  }
  io::write_safetensors(file, content);
}

StreamsById read_streams(const fs::path& file, const Model& model, const StreamSizes& sizes) {
  const io::TensorFile content = io::read_safetensors(file);
  check_origin(file, content, model);
  StreamsById streams;
  for (const io::Tensor& tensor : content.tensors) {
    if (!tensor.name.starts_with(kStream) || tensor.values.size() != sizes.state + sizes.last) {
      throw ModelFileError(fmt::format("{}: found {} numbers in {}, expected {} of a stream",
                                       file.string(), tensor.values.size(), io::quote(tensor.name),
                                       sizes.state + sizes.last));
    }
    const auto values = std::span(tensor.values);
    const std::string id = tensor.name.substr(kStream.size());
    OneStream& stream = streams[id];
    stream.state.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(sizes.state));
    stream.last.assign(values.begin() + static_cast<std::ptrdiff_t>(sizes.state), values.end());
    const auto tail = content.metadata.find(std::string(kTail) + id);
    if (tail != content.metadata.end()) stream.tail = tail->second;
  }
  return streams;
}

}  // namespace rwa::workflows
