#include "training/experiment.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/names.h"
#include "io/quote.h"
#include "io/toml.h"
#include "model/network_spec.h"
#include "rwa/errors.h"
#include "training/settings.h"

namespace rwa::training {
namespace {

constexpr Names<Schedule, 3> kSchedules{{{Schedule::kConstant, "constant"},
                                         {Schedule::kPlateau, "plateau"},
                                         {Schedule::kCosine, "cosine"}}};

// Returns the readout of a network for this task.
Readout readout_of(const Network& network, const datasets::Shape& shape) {
  if (shape.readout == Readout::kEvery) {
    if (network.readout == Readout::kLast || network.readout == Readout::kEvery) {
      return Readout::kEvery;
    }
    throw ConfigError(
        fmt::format("readout is {}, expected every: the task has a target at every step",
                    to_string(network.readout)));
  }
  if (network.readout == Readout::kEvery) {
    throw ConfigError(
        "readout is every, expected last, mean or attention: the task has one target "
        "per sequence");
  }
  // Without layers there is one step, so the mean is the last.
  return network.layers == 0 && network.readout == Readout::kLast ? Readout::kMean
                                                                  : network.readout;
}

int code_of(const Network& network, const datasets::Shape& shape) {
  if (shape.says > 0) return network.code > 0 ? network.code : network.units;
  if (network.code > 0) {
    throw ConfigError(
        fmt::format("code is {}, expected 0: the task has no decoder targets", network.code));
  }
  return 0;
}

static_assert(kMostConvolutions == 16 && kMostKernel == 1024);  // as kStem says

// Empty if the text is no list of kernel sizes.
std::optional<std::vector<int>> kernels_of(std::string_view text) {
  std::vector<int> kernels;
  if (text.empty() || text == "0" || text == "none") return kernels;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (true) {
    int& kernel = kernels.emplace_back();
    const auto [after, error] = std::from_chars(next, end, kernel);
    const bool fits = kernel >= 1 && kernel <= kMostKernel && kernels.size() <= kMostConvolutions;
    if (error != std::errc{} || !fits || (after != end && *after != ',')) return std::nullopt;
    if (after == end) return kernels;
    next = after + 1;
  }
}

}  // namespace

std::string_view to_string(Schedule schedule) { return name_of(kSchedules, "schedule", schedule); }
Schedule parse_schedule(std::string_view name) { return parse_name(kSchedules, "schedule", name); }

bool is_stem(std::string_view text) { return kernels_of(text).has_value(); }

std::vector<int> parse_stem(std::string_view text) {
  if (auto kernels = kernels_of(text)) return *std::move(kernels);
  throw ConfigError(fmt::format("stem is {}, expected {}", io::quote(text), kStem));
}

std::string model_name(const Experiment& experiment) {
  return experiment.model.empty() ? std::string(to_string(experiment.network.cell))
                                  : experiment.model;
}

ModelConfig model_config(const Experiment& experiment, const datasets::Shape& shape) {
  const Network& network = experiment.network;
  return {.input = shape.input,
          .inputs = shape.inputs,
          .embedding = network.embedding,
          .stem = parse_stem(network.stem),
          .channels = network.channels,
          .cell = network.cell,
          .activation = network.activation,
          .units = network.units,
          .layers = network.layers,
          .bidirectional = network.bidirectional,
          .dropout = network.dropout,
          .span = network.span > 0 ? network.span : std::max(shape.longest, shape.says),
          .lasting = network.lasting,
          .learned_decay = network.learned_decay,
          .readout = readout_of(network, shape),
          .outputs = shape.outputs,
          .loss = shape.loss,
          .interval = shape.interval,
          .code = code_of(network, shape),
          .seed = experiment.seed};
}

TrainerOptions trainer_options(const Training& training, const SessionOptions& session,
                               Link* link) {
  return {.learning_rate = training.learning_rate,
          .beta1 = training.beta1,
          .beta2 = training.beta2,
          .epsilon = training.epsilon,
          .clip_norm = training.clip_norm,
          .truncate = training.truncate,
          .session = session,
          .link = link};
}

std::string format_experiment(const Experiment& experiment) {
  std::string text;
  std::string table;
  for (const SettingInfo& field : list_settings(experiment)) {
    if (!field.kept) continue;
    if (field.table != table) text += fmt::format("\n[{}]\n", field.table);
    table = field.table;
    text += fmt::format("{} = {}\n", field.name, io::to_toml(field.value));
  }
  return text;
}

std::vector<std::string> differences(const Experiment& there, const Experiment& here) {
  const auto ours = list_settings(here);
  std::vector<std::string> lines;
  for (const SettingInfo& field : list_settings(there)) {
    const auto same = std::ranges::find(ours, field.path(), &SettingInfo::path);
    // Skips fields of one kind of task only: the difference in `kind` is reported already.
    if (same == ours.end()) continue;
    const std::string theirs = io::to_toml(field.value), mine = io::to_toml(same->value);
    if (theirs == mine) continue;
    lines.push_back(fmt::format("{}: {} there, {} here", field.path(), theirs, mine));
  }
  return lines;
}

}  // namespace rwa::training
