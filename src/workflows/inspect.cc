#include "workflows/inspect.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "datasets/files_read.h"
#include "io/existing.h"
#include "io/folder.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "report/table.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "tasks/task.h"
#include "training/experiment.h"
#include "training/run_folder.h"
#include "workflows/findings.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFirst = 3;         // sequences shown
constexpr std::size_t kTargetsShown = 4;  // of each
constexpr std::size_t kMostListed = 30;   // classes, features

std::string about_files(const formats::Schema& schema) {
  std::string text(formats::to_string(schema.format));
  if (schema.layout) text += fmt::format(", {}", formats::to_string(*schema.layout));
  if (!schema.id.empty()) text += fmt::format("; id {}", io::quote(schema.id));
  if (!schema.time.empty()) text += fmt::format("; time {}", io::quote(schema.time));
  return text;
}

report::Table features_of(const DataSummary& data) {
  report::Table table{.header = {"feature", "min", "max", "missing"}, .rows = {}};
  for (std::size_t i = 0; i < std::min(data.schema.features.size(), kMostListed); ++i) {
    table.rows.push_back({{io::escape(data.schema.features[i])},
                          {fmt::format("{:g}", data.statistics.least[i])},
                          {fmt::format("{:g}", data.statistics.most[i])},
                          {fmt::format("{}", data.statistics.missing[i])}});
  }
  return table;
}

report::Table classes_of(const DataSummary& data) {
  std::vector<std::size_t> order(data.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(),
                           [&](auto i) { return data.statistics.labels[i]; });
  order.resize(std::min(order.size(), kMostListed));
  report::Table table{.header = {"class", "count"}, .rows = {}};
  for (const std::size_t i : order) {
    table.rows.push_back(
        {{io::escape(data.labels[i])}, {fmt::format("{}", data.statistics.labels[i])}});
  }
  return table;
}

// The steps that are shown of a sequence.
std::size_t steps_shown(const formats::Sequence& sequence, const formats::Schema& schema) {
  constexpr int kNumbers = 4, kSymbols = 60;
  return static_cast<std::size_t>(std::min(sequence.steps, schema.symbols ? kSymbols : kNumbers));
}

// A copy without the steps and targets that are not shown: they may be many.
formats::Sequence shown_part(const formats::Sequence& sequence, const formats::Schema& schema) {
  const auto first = [](const auto& items, std::size_t most) {
    const auto part = std::span(items).first(std::min(items.size(), most));
    return std::vector(part.begin(), part.end());
  };
  const std::size_t steps = steps_shown(sequence, schema);
  formats::Sequence part;
  part.id = sequence.id;
  part.line = sequence.line;
  part.steps = sequence.steps;
  part.x = first(sequence.x, steps * schema.features.size());
  part.symbols = first(sequence.symbols, steps);
  part.labels = first(sequence.labels, kTargetsShown + 1);  // the last shows that there are more
  part.values = first(sequence.values, kTargetsShown + 1);
  return part;
}

std::string beginning_of(const DataSummary& data, const formats::Sequence& sequence) {
  const auto steps = static_cast<int>(steps_shown(sequence, data.schema));
  std::string text;
  const std::size_t width = data.schema.features.size();
  const bool letters = std::ranges::all_of(
      data.symbols, [](const std::string& symbol) { return report::character_count(symbol) == 1; });
  for (int t = 0; t < steps; ++t) {
    if (data.schema.symbols) {
      if (t > 0 && !letters) text += ' ';
      text += data.symbols[static_cast<std::size_t>(sequence.symbols[static_cast<std::size_t>(t)])];
      continue;
    }
    const auto row =
        std::span(sequence.x)
            .subspan(static_cast<std::size_t>(t) * width, std::min<std::size_t>(width, 8));
    text += fmt::format("{}{:g}{}", t > 0 ? " | " : "", fmt::join(row, " "), width > 8 ? " …" : "");
  }
  return io::excerpt(text) + (steps < sequence.steps ? " …" : "");
}

std::string answer_of(const DataSummary& data, const formats::Sequence& sequence) {
  std::vector<std::string> words;
  for (const std::int32_t label : sequence.labels) {
    words.push_back(io::escape(data.labels[static_cast<std::size_t>(label)]));
  }
  for (const float value : sequence.values) words.push_back(fmt::format("{:g}", value));
  const bool more = words.size() > kTargetsShown;
  words.resize(std::min(words.size(), kTargetsShown));
  return fmt::format("{}{}", fmt::join(words, " "), more ? " …" : "");
}

report::Table first_of(const DataSummary& data) {
  report::Table table{.header = {"file:line", "id", "steps", "target", "first steps"}, .rows = {}};
  for (const auto& [file, sequence] : data.first) {
    table.rows.push_back({{fmt::format("{}:{}", file, sequence.line)},
                          {io::escape(sequence.id)},
                          {fmt::format("{}", sequence.steps)},
                          {answer_of(data, sequence)},
                          {beginning_of(data, sequence)}});
  }
  return table;
}

constexpr std::string_view kExpected =
    "expected a model (*.safetensors), an experiment (*.toml) or a run folder";

// The network depends on the data, so it is only known for a finished run.
ModelConfig config_of_run(const fs::path& file) {
  const fs::path model = file.parent_path() / training::kModelFile;
  if (file.filename() == training::kConfigFile && fs::exists(model))
    return Model::load(model).config();
  throw ConfigError(
      fmt::format("the network depends on the data, and there is no {} of a finished run beside "
                  "this file",
                  training::kModelFile));
}

NetworkSummary summarize_experiment(std::string kind, const fs::path& file) {
  const training::Experiment experiment =
      training::parse_experiment(io::read_text(file), file.string());
  try {
    const ModelConfig config =
        std::holds_alternative<datasets::FilesTask>(experiment.task)
            ? config_of_run(file)
            : training::model_config(experiment, tasks::facts(experiment.task).shape);
    return {std::move(kind), config, rwa::describe(config)};
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

NetworkSummary summarize_model(const fs::path& file) {
  try {
    const ModelConfig config = Model::load(file).config();
    return {"a model", config, rwa::describe(config)};
  } catch (const ModelFileError& error) {
    if (file.extension() == ".safetensors") throw;
    throw ConfigError(fmt::format("{}; {}", error.what(), kExpected));
  }
}

std::string count(std::size_t number) {
  return report::in_thousands(static_cast<std::int64_t>(number));
}

}  // namespace

DataSummary summarize_data(const datasets::FilesTask& task) {
  const std::vector<std::filesystem::path> paths(task.train.begin(), task.train.end());
  const auto vocabulary = std::make_shared<formats::Vocabulary>();
  const auto reader = formats::open(paths, datasets::options_of(task), vocabulary);
  DataSummary data{.schema = reader->schema(),
                   .findings = reader->take_findings(),
                   .statistics = datasets::no_statistics(reader->schema().features.size()),
                   .labels = {},
                   .symbols = {},
                   .first = {}};
  for (formats::Sequence sequence; reader->next(sequence);) {
    datasets::add(sequence, data.statistics);
    if (data.first.size() < kFirst) {
      data.first.emplace_back(reader->file(), shown_part(sequence, data.schema));
    }
  }
  data.labels = std::move(vocabulary->labels).words();
  data.symbols = std::move(vocabulary->symbols).words();
  data.statistics.labels.resize(data.labels.size());
  return data;
}

std::string to_text(const DataSummary& data) {
  const datasets::Statistics& seen = data.statistics;
  std::string text =
      fmt::format("format     {}\nsequences  {} of {}, median {}\ntask       {}\n",
                  about_files(data.schema), in_thousands(seen.sequences),
                  counted(datasets::shortest(seen), datasets::longest(seen), "step"),
                  datasets::median_length(seen), task_in_words(data.schema, data.findings));
  if (data.schema.symbols) {
    text += fmt::format("symbols    {}\n", io::listed(data.symbols, kMostListed, " "));
  }
  if (const std::string scale = scale_in_words(data.schema, data.statistics); !scale.empty()) {
    text += scale + "\n";
  }
  text += warnings_text(data.findings);
  if (!data.findings.columns.empty()) {
    text += "\n" + report::to_text(columns_table(data.findings));
  }
  if (!data.schema.symbols) text += "\n" + report::to_text(features_of(data));
  if (!data.labels.empty()) text += "\n" + report::to_text(classes_of(data));
  return text + "\n" + report::to_text(first_of(data));
}

bool is_network(const fs::path& path) {
  const auto ending = path.extension();
  return ending == ".safetensors" || ending == ".toml" ||
         fs::exists(path / training::kConfigFile) || fs::exists(path / training::kModelFile);
}

NetworkSummary summarize_network(const fs::path& path) try {
  io::require_existing(path);
  if (!fs::is_directory(path)) {
    return path.extension() == ".toml" ? summarize_experiment("an experiment", path)
                                       : summarize_model(path);
  }
  // Several runs may leave one model.
  const fs::path model = path / training::kModelFile;
  if (!fs::exists(path / training::kConfigFile) && fs::exists(model)) return summarize_model(model);
  if (!fs::exists(path / training::kConfigFile)) {
    throw ConfigError(fmt::format("{}: is a folder without a {}, {}", path.string(),
                                  training::kConfigFile, kExpected));
  }
  return summarize_experiment("a run", path / training::kConfigFile);
} catch (const fs::filesystem_error& error) {
  throw io::refusal(error);
}

std::string to_text(const NetworkSummary& network) {
  report::Table table{.header = {"part", "what", "output", "parameters"}, .rows = {}};
  std::size_t parameters = 0;
  for (const NetworkPart& part : network.parts) {
    table.rows.push_back({{part.name}, {part.what}, {part.shape}, {count(part.parameters)}});
    parameters += part.parameters;
  }
  table.rows.push_back({{"total"}, {""}, {""}, {count(parameters)}});
  const ModelConfig& config = network.config;
  return fmt::format("{}\n{} bytes of weights; cell {}, readout {}, loss {}, seed {}\n",
                     report::to_text(table), count(parameters * sizeof(float)),
                     to_string(config.cell), to_string(config.readout), to_string(config.loss),
                     config.seed);
}

}  // namespace rwa::workflows
