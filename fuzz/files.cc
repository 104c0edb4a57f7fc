#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/encoding.h"
#include "export/torch_import.h"
#include "input_file.h"
#include "io/safetensors.h"
#include "io/unpacked.h"
#include "model/model_file.h"
#include "paper/curves.h"
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

void read_tensors(std::uint8_t option, Bytes input) {
  static constexpr std::array kAccepted = {io::Accept::kF32, io::Accept::kAnyFloat};
  const auto accept = kAccepted[static_cast<std::uint8_t>(option - '0') % kAccepted.size()];
  try {
    const io::TensorFile file = io::parse_safetensors(std::as_bytes(input), "input", accept);
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

void import_weights(std::uint8_t option, Bytes input) {
  static const std::array choices = {
      exports::ImportOptions{}, exports::ImportOptions{.no_head = true, .readout = Readout::kEvery},
      exports::ImportOptions{.readout = Readout::kMean, .loss = Loss::kSquaredError},
      exports::ImportOptions{.rnn = "a", .head = "c", .embedding = "e"}};
  const InputFile file(input);
  try {
    const auto& options = choices[static_cast<std::uint8_t>(option - '0') % choices.size()];
    require(exports::import_torch(file.path(), options).parameter_count() > 0);
  } catch (const Error&) {
  }
}

// A curve, or the log that one is made of. The steps and scores of a log are those of its authors:
// they may make no curve.
void read_curve(std::uint8_t option, Bytes input) {
  try {
    const bool is_log = option % 2 == 1;
    const std::string curve =
        is_log ? paper::to_curve(as_text(input), "bits", "input") : std::string(as_text(input));
    const InputFile file({reinterpret_cast<const std::uint8_t*>(curve.data()), curve.size()});
    std::int64_t last = -1;
    for (const paper::Point& point : paper::read_curve(file.path()).points) {
      require(point.step > last && point.loss >= 0);
      last = point.step;
    }
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
      Target{"curve", read_curve},      Target{"encoding", read_encoding},
      Target{"model", read_model_file}, Target{"safetensors", read_tensors},
      Target{"torch", import_weights},  Target{"unpacked", unpack}};
  return kFiles;
}

}  // namespace rwa::fuzz
