#include "workflows/look.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/files_read.h"
#include "io/quote.h"
#include "report/table.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kFirst = 3;        // sequences that are shown
constexpr int kStepsShown = 4;           // of each
constexpr std::size_t kMostListed = 30;  // classes, features

std::string some(const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) {
    if (shown.size() == kMostListed) break;
    shown.push_back(io::escape(word));
  }
  return fmt::format("{}{}", fmt::join(shown, " "), words.size() > kMostListed ? " …" : "");
}

std::string about_files(const formats::Schema& schema) {
  std::string text(formats::to_string(schema.format));
  if (schema.layout) text += fmt::format(", {}", formats::to_string(*schema.layout));
  if (!schema.id.empty()) text += fmt::format("; id {}", io::quote(schema.id));
  if (!schema.time.empty()) text += fmt::format("; time {}", io::quote(schema.time));
  return text;
}

std::string about_target(const formats::Schema& schema) {
  std::string text(formats::to_string(schema.target));
  if (schema.target == formats::Target::kNone) {
    return text +
           ": nothing is called target, label, class or y, so the next step is what is learnt";
  }
  if (!schema.label_from.empty()) return text + ", from " + io::escape(schema.label_from);
  return schema.targets.empty() ? text : text + ", " + some(schema.targets);
}

report::Table features_of(const Look& look) {
  report::Table table{.header = {"feature", "least", "most", "missing"}, .rows = {}};
  for (std::size_t i = 0; i < std::min(look.schema.features.size(), kMostListed); ++i) {
    table.rows.push_back({{io::escape(look.schema.features[i])},
                          {fmt::format("{:g}", look.seen.least[i])},
                          {fmt::format("{:g}", look.seen.most[i])},
                          {fmt::format("{}", look.seen.missing[i])}});
  }
  return table;
}

report::Table classes_of(const Look& look) {
  std::vector<std::size_t> order(look.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(), [&](auto i) { return look.seen.labels[i]; });
  order.resize(std::min(order.size(), kMostListed));
  report::Table table{.header = {"class", "how often"}, .rows = {}};
  for (const std::size_t i : order) {
    table.rows.push_back({{io::escape(look.labels[i])}, {fmt::format("{}", look.seen.labels[i])}});
  }
  return table;
}

std::string beginning_of(const Look& look, const formats::Sequence& sequence) {
  const int steps = std::min(sequence.steps, look.schema.symbols ? 60 : kStepsShown);
  std::string text;
  const std::size_t width = look.schema.features.size();
  for (int t = 0; t < steps; ++t) {
    if (look.schema.symbols) {
      text += look.symbols[static_cast<std::size_t>(sequence.symbols[static_cast<std::size_t>(t)])];
      continue;
    }
    const auto row =
        std::span(sequence.x)
            .subspan(static_cast<std::size_t>(t) * width, std::min<std::size_t>(width, 8));
    text += fmt::format("{}{:g}{}", t > 0 ? " | " : "", fmt::join(row, " "), width > 8 ? " …" : "");
  }
  return io::excerpt(text) + (steps < sequence.steps ? " …" : "");
}

std::string answer_of(const Look& look, const formats::Sequence& sequence) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> words;
  for (const std::int32_t label : sequence.labels) {
    words.push_back(io::escape(look.labels[static_cast<std::size_t>(label)]));
  }
  for (const float value : sequence.values) words.push_back(fmt::format("{:g}", value));
  const bool more = words.size() > kMost;
  words.resize(std::min(words.size(), kMost));
  return fmt::format("{}{}", fmt::join(words, " "), more ? " …" : "");
}

report::Table first_of(const Look& look) {
  report::Table table{.header = {"file and line", "id", "steps", "answer", "begins with"},
                      .rows = {}};
  for (const auto& [file, sequence] : look.first) {
    table.rows.push_back({{fmt::format("{}:{}", file, sequence.line)},
                          {io::escape(sequence.id)},
                          {fmt::format("{}", sequence.steps)},
                          {answer_of(look, sequence)},
                          {beginning_of(look, sequence)}});
  }
  return table;
}

}  // namespace

Look look(const datasets::FilesTask& task) {
  const std::vector<std::filesystem::path> paths(task.train.begin(), task.train.end());
  const auto vocabulary = std::make_shared<formats::Vocabulary>();
  const auto reader = formats::open(paths, datasets::options_of(task), vocabulary);
  Look look{.schema = reader->schema(),
            .seen = datasets::no_statistics(reader->schema().features.size()),
            .labels = {},
            .symbols = {},
            .first = {}};
  for (formats::Sequence sequence; reader->next(sequence);) {
    datasets::add(sequence, look.seen);
    if (look.first.size() < kFirst) look.first.emplace_back(reader->file(), sequence);
  }
  look.labels = vocabulary->labels.words();
  look.symbols = vocabulary->symbols.words();
  look.seen.labels.resize(look.labels.size());
  return look;
}

std::string to_text(const Look& look) {
  const datasets::Statistics& seen = look.seen;
  std::string text = fmt::format(
      "read as    {}\nsequences  {} of {} to {} steps, {} in the median\ntask       {}\n",
      about_files(look.schema), seen.sequences, datasets::shortest(seen), datasets::longest(seen),
      datasets::median_length(seen), about_target(look.schema));
  if (look.schema.symbols) {
    text += fmt::format("symbols    {}: {}\n", look.symbols.size(), some(look.symbols));
  } else {
    text += "\n" + report::to_text(features_of(look));
  }
  if (!look.labels.empty()) text += "\n" + report::to_text(classes_of(look));
  return text + "\n" + report::to_text(first_of(look));
}

}  // namespace rwa::workflows
