#include "workflows/imported.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/repeated.h"
#include "datasets/encoding.h"
#include "io/quote.h"
#include "rwa/errors.h"
#include "workflows/contradictions.h"
#include "workflows/plan.h"

namespace rwa::workflows {
namespace {

constexpr Names<Standardised, 3> kStandardised{{{Standardised::kNone, "none"},
                                                {Standardised::kFeatures, "features"},
                                                {Standardised::kAll, "all"}}};

// Replaces the words of the data by those given, which must contain them.
void reorder(const std::vector<std::string>& given, std::string_view option,
             std::vector<std::string>& words) {
  if (given.empty()) return;
  if (words.empty()) {
    throw ConfigError(fmt::format("found --{0}, but the data has no {0}", option));
  }
  if (const auto twice = repeated(given)) {
    throw ConfigError(
        fmt::format("--{} has {} twice, expected it once", option, io::quote(*twice)));
  }
  const std::unordered_set<std::string_view> known(given.begin(), given.end());
  for (const std::string& word : words) {
    if (known.contains(word)) continue;
    throw ConfigError(fmt::format("the data has {}, which is not in --{}: {}", io::quote(word),
                                  option, io::listed(given)));
  }
  words = given;
}

void leave_as_it_is(datasets::Normal& normal) {
  std::ranges::fill(normal.mean, 0.0);
  std::ranges::fill(normal.scale, 1.0);
}

void refuse_in_vain(Standardised standardise, const datasets::Encoding& encoding) {
  const bool changes_targets = standardise == Standardised::kAll && !encoding.targets.mean.empty();
  if (standardise == Standardised::kNone || !encoding.schema.symbols || changes_targets) return;
  throw ConfigError(fmt::format("--standardise {} has no effect on symbols: leave it out",
                                to_string(standardise)));
}

datasets::Encoding encoding_for(const datasets::Files& data, const NetworkData& network) {
  datasets::Encoding encoding = data.encoding();
  reorder(network.labels, "labels", encoding.labels);
  if (!encoding.unknown) {
    reorder(network.symbols, "symbols", encoding.alphabet);
  } else {
    // The network has such a symbol only if the list ends with it.
    encoding.alphabet.pop_back();
    reorder(network.symbols, "symbols", encoding.alphabet);
    encoding.unknown = !encoding.alphabet.empty() && encoding.alphabet.back() == datasets::kUnknown;
  }
  if (network.standardise) refuse_in_vain(*network.standardise, encoding);
  const Standardised standardise = network.standardise.value_or(kUsualStandardised);
  if (standardise == Standardised::kNone) leave_as_it_is(encoding.features);
  if (standardise != Standardised::kAll) leave_as_it_is(encoding.targets);
  return encoding;
}

// Says what does not fit in terms of the data, before it is compared as parts of a model file.
void check_fit(const ModelConfig& network, const datasets::Encoding& encoding,
               const std::string& file) {
  const datasets::Shape shape = encoding.shape();
  const bool of_symbols = network.input == Input::kSymbols;
  if (network.input != shape.input) {
    throw ConfigError(fmt::format("{}: the network reads {}, but the data has {}", file,
                                  to_string(network.input), to_string(shape.input)));
  }
  if (network.inputs != shape.inputs) {
    throw ConfigError(
        fmt::format("{}: the network reads {} {}, but the data has {}: {}: use {}", file,
                    network.inputs, of_symbols ? "symbols" : "features", shape.inputs,
                    io::listed(of_symbols ? encoding.alphabet : encoding.schema.features),
                    of_symbols ? "--symbols to list all" : "--features to name them"));
  }
  if (network.outputs != shape.outputs) {
    throw ConfigError(fmt::format(
        "{}: the network has {} outputs, but the task {} of the data has {}: {}: use --target, "
        "--task or --labels",
        file, network.outputs, formats::to_string(encoding.schema.target), shape.outputs,
        io::listed(encoding.outputs())));
  }
  const bool every = network.readout == Readout::kEvery;
  if (every != encoding.answers_every_step() || network.loss != shape.loss) {
    throw ConfigError(fmt::format(
        "{}: found readout {} and loss {}, expected {} and {} for the task {} of the data", file,
        to_string(network.readout), to_string(network.loss),
        encoding.answers_every_step() ? "every" : "last or mean", to_string(shape.loss),
        formats::to_string(encoding.schema.target)));
  }
}

}  // namespace

std::string_view to_string(Standardised standardised) {
  return name_of(kStandardised, "kind of standardisation", standardised);
}
Standardised parse_standardised(std::string_view name) {
  return parse_name(kStandardised, "kind of standardisation", name);
}

Model import_torch(const std::filesystem::path& file, exports::ImportOptions options,
                   const datasets::Files& data, const NetworkData& network) {
  const datasets::Encoding encoding = encoding_for(data, network);
  const datasets::Shape shape = encoding.shape();
  options.readout = options.readout.value_or(shape.readout);
  options.loss = options.loss.value_or(shape.loss);
  Model model = exports::import_torch(file, options);
  check_fit(model.config(), encoding, file.string());
  model.set_note(std::string(datasets::kEncodingNote), datasets::to_json(encoding));
  return model;
}

Model import_torch(const std::filesystem::path& file, const exports::ImportOptions& options,
                   const training::Overrides& data, const NetworkData& network) {
  const training::Experiment experiment = experiment_of(data);
  auto task = training::files_task(experiment);
  task.split = 0;                                  // the means are those of all data
  task.scale = to_string(datasets::Scale::kData);  // see --standardise
  const auto files = datasets::open_files(task, experiment.seed, {});
  refuse_without_effect(data, experiment, *files, false);
  return import_torch(file, options, *files, network);
}

}  // namespace rwa::workflows
