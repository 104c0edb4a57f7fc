// src/workflows/training_page_card.cc: the model at a glance in the report of a training: data,
// task, scores beside baselines, training, and how to use it.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/text.h"
#include "workflows/findings.h"
#include "workflows/forecasts.h"
#include "workflows/plan.h"
#include "workflows/training_page.h"
#include "workflows/verdict.h"

namespace rwa::workflows {
namespace {

using formats::Target;
using report::counted;

// "up to 29 steps", "251 steps"
std::string lengths_in_words(const datasets::Statistics& seen) {
  const std::string most = counted(longest(seen), "step");
  return shortest(seen) == longest(seen) ? most : "up to " + most;
}

std::string data_in_words(const datasets::FilesTask& task, const datasets::Files& files) {
  const datasets::Encoding& encoding = files.encoding();
  const datasets::Statistics& seen = files.statistics();
  std::vector<std::string> names;
  for (const std::string& path : task.train) {
    const std::filesystem::path file(path);
    names.push_back((file.has_filename() ? file : file.parent_path()).filename().string());
  }
  const std::string kind =
      encoding.schema.symbols
          ? counted(static_cast<std::int64_t>(encoding.known_symbols()), "symbol")
          : counted(static_cast<std::int64_t>(encoding.schema.features.size()), "feature");
  if (seen.lengths.empty()) return report::abbreviated(names);
  return fmt::format("{}: {} of {}, {}", report::abbreviated(names), sequences_in_words(files),
                     lengths_in_words(seen), kind);
}

// Steps by the name of their unit: "12 months".
std::string forecast_in_words(const datasets::Files& files) {
  const datasets::Encoding& encoding = files.encoding();
  const datasets::Forecast& forecast = encoding.forecast;
  int origin = 0;
  const formats::Sequence& series = files.series()->of_window(datasets::Split::kTrain, 0, origin);
  std::string unit(unit_of_steps(encoding, series));
  unit.pop_back();  // the plural
  std::vector<std::string> targets;
  for (const std::size_t target : forecast.targets) {
    targets.push_back(encoding.schema.features[target]);
  }
  const std::string season =
      forecast.season > 1 ? fmt::format("; season of {}", counted(forecast.season, unit)) : "";
  return fmt::format("forecast {} {} ahead, with {:.0f} % intervals{}",
                     report::abbreviated(targets), counted(forecast.horizon, unit),
                     100 * forecast.interval, season);
}

std::string classes_in_words(std::int64_t count) {
  return report::in_thousands(count) + (count == 1 ? " class" : " classes");
}

std::string task_in_words(const datasets::Files& files) {
  const datasets::Encoding& encoding = files.encoding();
  if (encoding.forecast.is_needed()) return forecast_in_words(files);
  const auto& [schema, labels] = std::tie(encoding.schema, encoding.labels);
  const auto classes = static_cast<std::int64_t>(labels.size());
  switch (schema.target) {
    case Target::kNone:
      return "predict the next step";
    case Target::kClass:
      return fmt::format("predict one of {} per sequence: {}", classes_in_words(classes),
                         report::abbreviated(labels));
    case Target::kLabels:
      return fmt::format("predict any of {} per sequence: {}", counted(classes, "label"),
                         report::abbreviated(labels));
    case Target::kNumbers:
      return "predict per sequence: " + report::abbreviated(schema.targets);
    case Target::kClassPerStep:
      return fmt::format("predict one of {} at every step: {}", classes_in_words(classes),
                         report::abbreviated(labels));
    case Target::kNumbersPerStep:
      break;
  }
  return "predict at every step: " + report::abbreviated(schema.targets);
}

void add(report::Card& card, const char* name, std::string text) {
  card.facts.push_back({name, report::Text{std::move(text)}});
}

// The baselines, and that the model is not better.
void add_comparison(const PageContent& content, const Comparison& found, report::Card& card) {
  if (found.baselines.empty()) return;
  std::vector<std::string> others;
  for (const auto& [name, score] : found.baselines) {
    others.push_back(fmt::format("{} {}", name, in_words(score)));
  }
  add(card, others.size() == 1 ? "Baseline" : "Baselines",
      fmt::format("{}", fmt::join(others, ", ")));
  if (const std::string said = remark(found, content.run); !said.empty()) {
    add(card, "Note", fmt::format("The model is {}.", said));
  }
}

void add_score(const PageContent& content, report::Card& card) {
  const Scores& scores = *content.parts.front().scores;
  const Comparison found = compare(scores, content.baselines);
  const bool windows = content.files.encoding().forecast.is_needed();
  add(card, "Score",
      fmt::format("{} on {} ({}): {}", name_of(found.model.kind),
                  scored_on(content.run.experiment, content.files),
                  counted(scores.sequences, windows ? "forecast" : "sequence"),
                  in_words(found.model)));
  add_comparison(content, found, card);
}

void add_expected(const PageContent& content, report::Card& card) {
  const bool windows = content.files.encoding().forecast.is_needed();
  add(card, "Expected",
      fmt::format("{}, from {}. Trained on all data.", content.expected,
                  windows ? counted(content.fold_count, "origin") + " in time"
                          : counted(content.fold_count, "fold")));
  add_comparison(content, content.of_folds, card);
}

std::string training_in_words(const training::Record& run) {
  return fmt::format("{}, {}, {}", counted(run.steps, "step"), counted(run.parameters, "parameter"),
                     report::in_time(run.train_seconds));
}

// A word for a shell, quoted if it must be.
std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string commands(const PageContent& content) {
  const std::string model = shell_word(content.folder.string());
  return fmt::format("rwa predict {0} NEW\nrwa evaluate {0} MORE\nrwa explain {0} NEW", model);
}

}  // namespace

void add_card(const PageContent& content, report::Page& page) {
  report::Card card;
  add(card, "Data", data_in_words(training::files_task(content.run.experiment), content.files));
  add(card, "Task", task_in_words(content.files));
  if (!content.expected.empty()) {
    add_expected(content, card);
  } else if (content.parts.empty()) {
    add(card, "Score", "All data was used for training: none was held out to score the model.");
  }
  if (!content.baselines.empty()) add_score(content, card);
  add(card, "Training", training_in_words(content.run));
  if (!content.folder.empty()) card.facts.push_back({"Use", report::Code{commands(content)}});
  page.blocks.emplace_back(std::move(card));
}

}  // namespace rwa::workflows
