#include "training/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/quote.h"
#include "io/read_file.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr std::string_view kVersion = "2";
constexpr std::string_view kFirstVersion = "1";
constexpr std::string_view kMean = "optimizer.mean";
constexpr std::string_view kVariance = "optimizer.variance";
constexpr const char* kOptimizerSteps = "optimizer_steps";

// Visits the fields of a state with their names, for writing and reading.
template <class Visitor>
void describe(State& state, Visitor visit) {
  visit("step", state.step);
  visit("metrics_bytes", state.metrics.size);
  visit("metrics_sha256", state.metrics.sha256);
  visit("loss_sum", state.loss_sum);
  visit("loss_count", state.loss_count);
  visit("first_loss", state.rule.first);
  visit("steps_above_limit", state.rule.above);
  visit("best_loss", state.best.loss);
  visit("best_step", state.best.step);
  visit("evaluations_without", state.best.evaluations_without);
  visit("reductions", state.reductions);
  visit("train_seconds", state.train_seconds);
  visit("host_wait_seconds", state.host_wait_seconds);
  visit("evaluate_seconds", state.evaluate_seconds);
  visit("started", state.started);
}

// Adds fields that earlier builds did not write.
void complete(Metadata& metadata, bool is_first_version) {
  metadata.try_emplace("metrics_sha256");
  if (!is_first_version) return;
  for (const char* key :
       {"host_wait_seconds", "best_loss", "best_step", "evaluations_without", "reductions"}) {
    metadata.try_emplace(key, "0");
  }
  if (const auto step = metadata.find("step"); step != metadata.end()) {
    metadata.try_emplace(kOptimizerSteps, step->second);
  }
}

io::Tensor tensor(std::string_view name, std::vector<std::int64_t> shape,
                  std::span<const float> values, std::int64_t step) {
  const auto wrong = std::ranges::find_if_not(values, [](float x) { return std::isfinite(x); });
  if (wrong != values.end()) {
    throw DivergenceError(fmt::format("training diverged at step {}: {} has become {} at index {}",
                                      step, name, *wrong, wrong - values.begin()));
  }
  return {std::string(name), std::move(shape), {values.begin(), values.end()}};
}

// Reads metadata that may be corrupted.
class MetadataReader {
 public:
  MetadataReader(const Metadata& metadata, std::string_view origin)
      : metadata_(metadata), origin_(origin) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) fail("its metadata lacks {}", io::quote(key));
    return found->second;
  }
  void expect(const std::string& key, std::string_view wanted) const {
    if (text(key) != wanted) {
      fail("{} is {}, expected {}", key, io::quote(text(key)), io::quote(wanted));
    }
  }

  void operator()(const std::string& key, std::string& value) const { value = text(key); }
  template <class Number>
  void operator()(const std::string& key, Number& value) const {
    const std::string& digits = text(key);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end || !is_valid(value)) {
      fail("{} is {}, expected {}", key, io::quote(digits),
           std::integral<Number> ? "a whole number from 0" : "a finite number");
    }
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(
        fmt::format("{}: {}", origin_, fmt::format(text, std::forward<Args>(args)...)));
  }

 private:
  static bool is_valid(double value) { return std::isfinite(value); }
  static bool is_valid(std::int64_t value) { return value >= 0; }

  const Metadata& metadata_;
  std::string_view origin_;
};

Experiment experiment_of(const MetadataReader& reader, const std::filesystem::path& file) try {
  return parse_experiment(reader.text("experiment"), file.string() + ", experiment");
} catch (const ConfigError& error) {
  throw ModelFileError(error.what());
}

std::string best_name(const Parameter& parameter) { return "best." + parameter.name; }

// Takes the tensors of a checkpoint in order.
class TensorReader {
 public:
  explicit TensorReader(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  [[nodiscard]] bool at_end() const { return next_ == checkpoint_.tensors.size(); }
  const std::vector<float>& take(std::string_view name, const std::vector<std::int64_t>& shape) {
    if (at_end()) fail("lacks the tensor {}", io::quote(name));
    const io::Tensor& found = checkpoint_.tensors[next_++];
    if (found.name != name || found.shape != shape) {
      fail("tensor {} is {} of shape [{}], expected {} of shape [{}]", next_ - 1,
           io::quote(found.name), fmt::join(found.shape, ", "), io::quote(name),
           fmt::join(shape, ", "));
    }
    return found.values;
  }
  // Concatenates one tensor per parameter, each with the name that `name_of` returns.
  std::vector<float> take_all(std::span<const Parameter> parameters,
                              std::string (*name_of)(const Parameter&)) {
    std::vector<float> weights;
    for (const Parameter& p : parameters) {
      const std::vector<float>& values = take(name_of(p), p.shape);
      weights.insert(weights.end(), values.begin(), values.end());
    }
    return weights;
  }
  void expect_end() const {
    if (!at_end()) {
      fail("has {} tensors, expected {}", checkpoint_.tensors.size(), next_);
    }
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(fmt::format("{}: {}", checkpoint_.file.string(),
                                     fmt::format(text, std::forward<Args>(args)...)));
  }

  const Checkpoint& checkpoint_;
  std::size_t next_ = 0;
};

void add_best(const State& state, const Model& model, io::TensorFile& content) {
  if (!state.best.is_known()) return;
  auto rest = std::span(state.best.weights);
  for (const Parameter& p : model.parameters()) {
    content.tensors.push_back(
        tensor(best_name(p), p.shape, rest.first(p.values.size()), state.best.step));
    rest = rest.subspan(p.values.size());
  }
}

}  // namespace

io::TensorFile checkpoint_content(const Experiment& experiment, const State& state,
                                  const Model& model, const Trainer& trainer) {
  io::TensorFile content;
  content.metadata = {{"format", std::string(kCheckpointFormat)},
                      {"format_version", std::string(kVersion)},
                      {"experiment", format_experiment(experiment)}};
  State copy = state;
  describe(copy, [&](const char* key, const auto& value) {
    content.metadata[key] =
        fmt::format("{}", value);  // doubles: the shortest text that round-trips
  });
  content.metadata[kOptimizerSteps] = fmt::format("{}", trainer.state().steps);
  for (const Parameter& p : model.parameters()) {
    content.tensors.push_back(tensor(p.name, p.shape, p.values, state.step));
  }
  const auto count = static_cast<std::int64_t>(model.parameter_count());
  content.tensors.push_back(tensor(kMean, {count}, trainer.state().mean, state.step));
  content.tensors.push_back(tensor(kVariance, {count}, trainer.state().variance, state.step));
  add_best(state, model, content);
  io::seal(content);
  return content;
}

Checkpoint to_checkpoint(io::TensorFile content, const std::filesystem::path& file) {
  const std::string origin = file.string();
  const MetadataReader reader(content.metadata, origin);
  reader.expect("format", kCheckpointFormat);
  const bool is_first = reader.text("format_version") == kFirstVersion;
  if (!is_first) reader.expect("format_version", kVersion);
  if (!io::is_intact(content)) {
    reader.fail("is corrupted: its checksum (sha256) does not match its content");
  }
  complete(content.metadata, is_first);
  Checkpoint checkpoint;
  checkpoint.file = file;
  checkpoint.experiment = experiment_of(reader, file);
  describe(checkpoint.state, reader);
  reader(kOptimizerSteps, checkpoint.optimizer_steps);
  checkpoint.tensors = std::move(content.tensors);
  return checkpoint;
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  return to_checkpoint(io::read_safetensors(file), file);
}

void share(std::optional<Checkpoint>& checkpoint, Ranks& ranks) {
  if (ranks.alone()) return;
  std::string bytes;
  if (ranks.rank() == 0 && checkpoint) bytes = io::read_whole(checkpoint->file);
  ranks.broadcast(bytes);
  if (ranks.rank() == 0 || bytes.empty()) return;
  const std::string_view origin = "the checkpoint from rank 0";
  checkpoint =
      to_checkpoint(io::parse_safetensors(std::as_bytes(std::span(bytes)), origin), origin);
}

State restore(const Checkpoint& checkpoint, Model& model, Trainer& trainer) {
  const auto parameters = model.parameters();
  const std::vector<std::int64_t> flat{static_cast<std::int64_t>(model.parameter_count())};
  TensorReader tensors(checkpoint);
  const auto weights = tensors.take_all(parameters, [](const Parameter& p) { return p.name; });
  TrainerState optimizer;
  optimizer.steps = checkpoint.optimizer_steps;
  optimizer.mean = tensors.take(kMean, flat);
  optimizer.variance = tensors.take(kVariance, flat);
  State state = checkpoint.state;
  if (!tensors.at_end()) state.best.weights = tensors.take_all(parameters, best_name);
  tensors.expect_end();
  try {
    trainer.set_state(std::move(optimizer));
    model.set_weights(weights);
  } catch (const InputError& error) {
    throw ModelFileError(fmt::format("{}: {}", checkpoint.file.string(), error.what()));
  }
  return state;
}

}  // namespace rwa::training
