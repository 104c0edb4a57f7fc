#include "workflows/stream_state.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "io/quote.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "rwa-stream";
constexpr std::string_view kVersion = "2";
// Version 1: prefixes of ids, in names of tensors and in keys of the metadata.
constexpr std::string_view kStream = "stream:";
constexpr std::string_view kTail = "tail:";

void append(std::string& list, std::string_view text) {
  list += fmt::format("{}:", text.size());
  list += text;
}

// Reads a file whose content may be anything.
class StateReader {
 public:
  StateReader(const fs::path& file, const StreamModel& model)
      : origin_(file.string()),
        model_(model),
        content_(io::read_safetensors(file, io::Accept::kTexts)) {}

  StreamState read() const {
    const bool is_first = !content_.metadata.contains("format_version");
    check_origin(is_first);
    if (is_first) return {.streams = first_version()};
    StreamState state{.progress = {.lines = lines(), .ended = value("ended") == "true"}};
    if (content_.texts.contains("header")) state.progress.header = texts("header");
    if (!content_.tensors.empty()) state.streams = streams();
    return state;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(
        fmt::format("{}: {}", origin_, fmt::format(text, std::forward<Args>(args)...)));
  }

  [[nodiscard]] std::string value(const std::string& key) const {
    const auto found = content_.metadata.find(key);
    return found == content_.metadata.end() ? std::string() : found->second;
  }
  void check_origin(bool is_first) const;
  [[nodiscard]] std::int64_t lines() const;
  [[nodiscard]] StreamsById streams() const;
  [[nodiscard]] std::span<const float> numbers(std::size_t tensor, std::string_view name,
                                               std::size_t streams, std::size_t each) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] StreamsById first_version() const;

  std::string origin_;
  const StreamModel& model_;
  const io::TensorFile content_;
};

void StateReader::check_origin(bool is_first) const {
  if (value("format") != kFormat) {
    fail("found the format {}, expected {}: a file saved by rwa stream", io::quote(value("format")),
         io::quote(kFormat));
  }
  if (!is_first && value("format_version") != kVersion) {
    fail("found version {} of the format, expected {}: it was saved by a later rwa",
         io::quote(value("format_version")), kVersion);
  }
  if (!is_first && !io::is_intact(content_)) {
    fail("is damaged: its checksum (sha256) does not match its content");
  }
  if (value("model") != model_.checksum) {
    fail("found the state of another model, expected that of the model with weights of SHA-256 {}",
         model_.checksum);
  }
}

std::int64_t StateReader::lines() const {
  const std::string text = value("lines");
  std::int64_t lines = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lines);
  if (error != std::errc() || end != text.data() + text.size() || lines < 0) {
    fail("lines is {}, expected a whole number from 0", io::quote(text));
  }
  return lines;
}

StreamsById StateReader::streams() const {
  const std::vector<std::string> ids = texts("ids");
  const std::vector<std::string> tails =
      content_.texts.contains("tails") ? texts("tails") : std::vector<std::string>(ids.size());
  const auto states = numbers(0, "state", ids.size(), model_.state);
  const auto lasts =
      model_.last == 0 ? std::span<const float>() : numbers(1, "last", ids.size(), model_.last);
  if (tails.size() != ids.size()) {
    fail("has {}, expected {}", counted(tails.size(), "tail"), ids.size());
  }
  StreamsById streams;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto state = states.subspan(i * model_.state, model_.state);
    const auto last = lasts.subspan(i * model_.last, model_.last);
    const bool is_new =
        streams
            .emplace(ids[i],
                     OneStream{{state.begin(), state.end()}, {last.begin(), last.end()}, tails[i]})
            .second;
    if (!is_new) fail("has the id {} twice, expected it once", io::quote(ids[i]));
  }
  return streams;
}

std::span<const float> StateReader::numbers(std::size_t tensor, std::string_view name,
                                            std::size_t streams, std::size_t each) const {
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(streams),
                                           static_cast<std::int64_t>(each)};
  if (tensor >= content_.tensors.size()) fail("lacks the tensor {}", io::quote(name));
  const io::Tensor& found = content_.tensors[tensor];
  if (found.name != name || found.shape != shape) {
    fail("found {} of shape [{}], expected {} of shape [{}]", io::quote(found.name),
         fmt::join(found.shape, ", "), io::quote(name), fmt::join(shape, ", "));
  }
  return found.values;
}

std::vector<std::string> StateReader::texts(const std::string& name) const {
  const auto found = content_.texts.find(name);
  if (found == content_.texts.end()) fail("lacks {}", io::quote(name));
  std::vector<std::string> texts;
  for (std::string_view rest = found->second; !rest.empty();) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const std::string_view text = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || !text.starts_with(':') || size > text.size() - 1) {
      fail("{} has {} after {}, expected a length, \":\" and as many bytes", io::quote(name),
           io::quote(rest), counted(texts.size(), "text"));
    }
    texts.emplace_back(text.substr(1, size));
    rest = text.substr(1 + size);
  }
  return texts;
}

StreamsById StateReader::first_version() const {
  StreamsById streams;
  for (const io::Tensor& tensor : content_.tensors) {
    const std::size_t expected = model_.state + model_.last;
    if (!tensor.name.starts_with(kStream) || tensor.values.size() != expected) {
      fail("found {} in {}, expected {} of a stream", counted(tensor.values.size(), "number"),
           io::quote(tensor.name), expected);
    }
    const std::string id = tensor.name.substr(kStream.size());
    const auto middle = tensor.values.begin() + static_cast<std::ptrdiff_t>(model_.state);
    streams[id] = {.state = {tensor.values.begin(), middle},
                   .last = {middle, tensor.values.end()},
                   .tail = value(std::string(kTail) + id)};
  }
  return streams;
}

}  // namespace

io::Descriptor write_stream_state(const fs::path& file, const StreamModel& model,
                                  const StreamsById& streams, const StreamProgress& progress) {
  io::TensorFile content;
  content.metadata = {{"format", std::string(kFormat)},
                      {"format_version", std::string(kVersion)},
                      {"model", model.checksum},
                      {"lines", std::to_string(progress.lines)},
                      {"ended", progress.ended ? "true" : "false"}};
  const auto count = static_cast<std::int64_t>(streams.size());
  const auto rows = [count](const char* name, std::size_t each) {
    io::Tensor tensor{name, {count, static_cast<std::int64_t>(each)}, {}};
    tensor.values.reserve(static_cast<std::size_t>(count) * each);
    return tensor;
  };
  io::Tensor states = rows("state", model.state), lasts = rows("last", model.last);
  std::string ids, tails, header;
  for (const auto& [id, stream] : streams) {
    states.values.insert(states.values.end(), stream.state.begin(), stream.state.end());
    lasts.values.insert(lasts.values.end(), stream.last.begin(), stream.last.end());
    append(ids, id);
    append(tails, stream.tail);
  }
  const bool has_tails =
      std::ranges::any_of(streams, [](const auto& each) { return !each.second.tail.empty(); });
  if (count > 0) {
    content.tensors.push_back(std::move(states));
    content.texts.emplace("ids", std::move(ids));
  }
  if (!lasts.values.empty()) content.tensors.push_back(std::move(lasts));
  if (has_tails) content.texts.emplace("tails", std::move(tails));
  for (const std::string& name : progress.header) append(header, name);
  if (!header.empty()) content.texts.emplace("header", std::move(header));
  io::seal(content);
  return io::write_safetensors(file, content);
}

StreamState read_stream_state(const fs::path& file, const StreamModel& model) {
  return StateReader(file, model).read();
}

}  // namespace rwa::workflows
