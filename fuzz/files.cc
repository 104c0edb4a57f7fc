#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "datasets/encoding.h"
#include "input_file.h"
#include "io/safetensors.h"
#include "io/unpacked.h"
#include "model/model_file.h"
#include "rwa/errors.h"
#include "targets.h"

namespace rwa::fuzz {
namespace {
// The option sets the size of each read. A decompression bomb is not read to its end.
void unpack(std::uint8_t option, Bytes input) {
  constexpr std::size_t kEnough = std::size_t{1} << 24;
  const InputFile file(input);
  try {
    io::Unpacked content(file.path());
    std::vector<std::byte> part(std::size_t{1} << (option % 20));
    for (std::size_t done = 0; done < kEnough;) {
      const std::size_t count = content.read(part);
      require(count <= part.size());
      done += count;
      if (count < part.size()) break;
    }
  } catch (const Error&) {
  }
}

void read_tensors(std::uint8_t, Bytes input) {
  try {
    const io::TensorFile file = io::parse_safetensors(std::as_bytes(input), "input");
    const auto written = io::format_safetensors(file);
    require(io::parse_safetensors(written, "written").tensors.size() == file.tensors.size());
  } catch (const Error&) {
  }
}

void read_model_file(std::uint8_t, Bytes input) {
  const InputFile file(input);
  try {
    read_model(file.path());
  } catch (const Error&) {
  }
}

void read_encoding(std::uint8_t, Bytes input) {
  try {
    const datasets::Encoding encoding = datasets::parse_encoding(as_text(input), "input");
    require(datasets::parse_encoding(datasets::to_json(encoding), "written") == encoding);
  } catch (const ModelFileError&) {
  }
}
}  // namespace

std::span<const Target> files() {
  static constexpr std::array kFiles = {
      Target{"encoding", read_encoding}, Target{"model", read_model_file},
      Target{"safetensors", read_tensors}, Target{"unpacked", unpack}};
  return kFiles;
}

}  // namespace rwa::fuzz
