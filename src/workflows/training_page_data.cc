// src/workflows/training_page_data.cc: the data and the settings in the report of a training.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/text.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

using datasets::Split;
using report::Heading;
using report::in_digits;
using report::in_thousands;
using report::Table;
using report::Text;

constexpr std::size_t kMostRows = 50;

void add_row(Table& table, std::string name, std::string value) {
  table.rows.push_back({{std::move(name)}, {std::move(value)}});
}

void add_paths(Table& table, std::string name, const std::vector<std::string>& paths) {
  if (!paths.empty()) add_row(table, std::move(name), fmt::format("{}", fmt::join(paths, ", ")));
}

void add_samples(Table& table, const datasets::Files& files) {
  const auto add = [&](const char* name, Split split) {
    if (files.size(split) > 0) add_row(table, name, in_thousands(files.size(split)));
  };
  add("training sequences", Split::kTrain);
  add("validation sequences", Split::kValid);
  add("test sequences", Split::kTest);
}

std::string lengths_of(const datasets::Statistics& seen) {
  if (shortest(seen) == longest(seen)) return in_thousands(longest(seen));
  return fmt::format("{} to {}, median {}", in_thousands(shortest(seen)),
                     in_thousands(longest(seen)), in_thousands(median_length(seen)));
}

Table files_of(const datasets::FilesTask& task, const datasets::Files& files) {
  const datasets::Encoding& encoding = files.encoding();
  const datasets::Statistics& seen = files.statistics();
  Table table{.header = {"property", "value"}, .rows = {}};
  add_paths(table, "training files", task.train);
  add_paths(table, "validation files", task.valid);
  add_paths(table, "test files", task.test);
  add_row(table, "format", std::string(to_string(encoding.schema.format)));
  add_row(table, "task", std::string(to_string(encoding.schema.target)));
  add_samples(table, files);
  if (!seen.lengths.empty()) {
    add_row(table, "total steps", in_thousands(seen.steps));
    add_row(table, "steps per sequence", lengths_of(seen));
  }
  if (encoding.window > 0) {
    add_row(table, "windows", fmt::format("{} steps, stride {}", encoding.window, encoding.stride));
  }
  if (encoding.kmer > 1) add_row(table, "k-mer length", fmt::format("{}", encoding.kmer));
  if (!encoding.alphabet.empty()) {
    add_row(table, "symbols", in_thousands(static_cast<std::int64_t>(encoding.known_symbols())));
  }
  if (!seen.missing.empty()) {
    const bool refused = encoding.missing == datasets::Missing::kRefuse;
    add_row(table, "missing values",
            refused ? "not allowed" : std::string(to_string(encoding.missing)));
  }
  add_row(table, "SHA-256 of the data", files.sha256());
  return table;
}

// All labels, or the most frequent ones if there are many.
Table labels_of(const datasets::Files& files) {
  const std::vector<std::string>& names = files.encoding().labels;
  const std::vector<std::int64_t>& counts = files.statistics().labels;
  std::vector<std::size_t> order(std::min(names.size(), counts.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > kMostRows) {
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return counts[i]; });
    order.resize(kMostRows);
  }
  const double all =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  Table table{.header = {"class", "count", "share"}, .rows = {}};
  for (const std::size_t i : order) {
    table.rows.push_back(
        {{names[i]},
         {in_thousands(counts[i])},
         {report::in_percent(all > 0 ? static_cast<double>(counts[i]) / all : 0)}});
  }
  return table;
}

Table features_of(const datasets::Files& files) {
  const datasets::Encoding& encoding = files.encoding();
  const datasets::Statistics& seen = files.statistics();
  Table table{.header = {"feature", "min", "max", "mean", "deviation", "missing"}, .rows = {}};
  if (encoding.schema.symbols) return table;
  const std::size_t count = std::min(encoding.schema.features.size(), kMostRows);
  for (std::size_t i = 0; i < count; ++i) {
    const bool any = seen.least[i] <= seen.most[i];
    table.rows.push_back({{encoding.schema.features[i]},
                          {any ? in_digits(seen.least[i], 4) : "—"},
                          {any ? in_digits(seen.most[i], 4) : "—"},
                          {in_digits(encoding.features.mean[i], 4)},
                          {in_digits(encoding.features.scale[i], 4)},
                          {in_thousands(seen.missing[i])}});
  }
  return table;
}

// Adds the table, with a note if it leaves rows out.
void add_part(Table table, std::size_t all, std::string_view of_what, report::Page& page) {
  if (table.rows.empty()) return;
  if (table.rows.size() < all) {
    page.blocks.emplace_back(Text{fmt::format(
        "{} of {} {}:", table.rows.size(), in_thousands(static_cast<std::int64_t>(all)), of_what)});
  }
  page.blocks.emplace_back(std::move(table));
}

std::string end_in_words(const training::Record& run) {
  if (run.status != training::Status::kFinished) return std::string(to_string(run.status));
  switch (run.end) {
    case training::End::kSteps:
      return "step limit reached";
    case training::End::kPatience:
      return fmt::format("no improvement in {} (early stopping)",
                         report::counted(run.experiment.evaluation.patience, "validation"));
    case training::End::kTime:
      return "time budget used up";
    case training::End::kRequest:
      break;
  }
  return "the caller stopped it";
}

void add_network(const training::Network& network, Table& table) {
  add_row(table, "cell", std::string(to_string(network.cell)));
  add_row(table, "units", fmt::format("{}", network.units));
  add_row(table, "layers",
          fmt::format("{}{}", network.layers, network.bidirectional ? ", bidirectional" : ""));
  add_row(table, "readout", std::string(to_string(network.readout)));
  add_row(table, "activation", std::string(to_string(network.activation)));
  if (network.embedding > 0) add_row(table, "embedding", fmt::format("{}", network.embedding));
  if (!training::parse_stem(network.stem).empty()) {
    add_row(table, "stem",
            fmt::format("{}, {}", network.stem, report::counted(network.channels, "channel")));
  }
  if (network.dropout > 0) add_row(table, "dropout", fmt::format("{}", network.dropout));
}

void add_training(const training::Training& training, Table& table) {
  add_row(table, "batch", fmt::format("{}", training.batch));
  add_row(table, "learning rate",
          fmt::format("{}, {}", training.learning_rate, to_string(training.schedule)));
  if (training.clip_norm > 0) {
    add_row(table, "gradients", fmt::format("clipped to norm {}", training.clip_norm));
  }
  if (training.noise > 0) {
    add_row(table, "noise on inputs", fmt::format("deviation {}", training.noise));
  }
  if (training.shift > 0) {
    add_row(table, "shift of sequences",
            fmt::format("up to {} % of their length", 100 * training.shift));
  }
  if (training.truncate > 0) {
    add_row(table, "gradients", fmt::format("truncated after {} time steps", training.truncate));
  }
}

}  // namespace

void add_data(const datasets::FilesTask& task, const datasets::Files& files, report::Page& page) {
  page.blocks.emplace_back(Heading{"Data", "data"});
  page.blocks.emplace_back(files_of(task, files));
  add_part(labels_of(files), files.encoding().labels.size(), "classes, the most frequent first",
           page);
  add_part(features_of(files), files.encoding().schema.features.size(), "features", page);
}

void add_settings(const training::Record& run, report::Page& page) {
  const training::Experiment& experiment = run.experiment;
  Table table{.header = {"setting", "value"}, .rows = {}};
  add_network(experiment.network, table);
  add_row(table, "parameters", in_thousands(run.parameters));
  add_training(experiment.training, table);
  add_row(table, "seed", fmt::format("{}", experiment.seed));
  add_row(
      table, "training steps",
      fmt::format("{} of {}", in_thousands(run.steps), in_thousands(experiment.training.steps)));
  add_row(table, "stopped because", end_in_words(run));
  if (run.best_step)
    add_row(table, "weights kept from training step", in_thousands(*run.best_step));
  add_row(table, "training time", report::in_time(run.train_seconds));
  add_row(table, "device", experiment.device);
  if (!run.machine.empty()) add_row(table, "machine", run.machine);
  page.blocks.emplace_back(Heading{"Settings", "settings"});
  page.blocks.emplace_back(std::move(table));
}

}  // namespace rwa::workflows
