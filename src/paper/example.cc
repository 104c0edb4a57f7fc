#include "paper/example.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper/external_files.h"
#include "rwa/errors.h"
#include "tasks/task.h"

namespace rwa::paper {
namespace {

using datasets::Batch;
using report::Example;
using report::Lane;

// Of a batch with one sample.
std::vector<double> feature(const Batch& sample, int inputs, int which) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(sample.lengths[0]));
  for (int t = 0; t < sample.lengths[0]; ++t) {
    values.push_back(sample.x[static_cast<std::size_t>(t * inputs + which)]);
  }
  return values;
}

std::vector<std::string> letters(const Batch& sample, const std::vector<std::string>& names) {
  std::vector<std::string> symbols;
  const int inputs = static_cast<int>(names.size());
  for (int t = 0; t < sample.lengths[0]; ++t) {
    for (int i = 0; i < inputs; ++i) {
      if (sample.x[static_cast<std::size_t>(t * inputs + i)] == 1) symbols.push_back(names[i]);
    }
  }
  return symbols;
}

Lane bars(std::string label, std::vector<double> values, int columns = 0) {
  return {
      .label = std::move(label), .values = std::move(values), .symbols = {}, .columns = columns};
}
Lane symbols(std::string label, std::vector<std::string> symbols) {
  return {.label = std::move(label), .values = {}, .symbols = std::move(symbols)};
}
Lane answer(std::string text) { return symbols("answer", {std::move(text)}); }

bool is_yes(const Batch& sample) { return sample.values[0] == 1; }

Example draw(const tasks::GrammarTask& /*task*/, const Batch& sample) {
  const bool valid = is_yes(sample);
  std::vector<std::string> names;
  for (const char letter : tasks::kGrammarLetters) names.emplace_back(1, letter);
  return {.title = valid ? "A valid sentence" : "A sentence with a typo",
          .lanes = {symbols("letter", letters(sample, names)),
                    answer(valid ? "1, valid" : "0, not valid")}};
}

Example draw(const tasks::LengthTask& task, const Batch& sample) {
  const char* more = is_yes(sample) ? "1, more" : "0, not more";
  return {.title = fmt::format("A sequence of {} steps", sample.lengths[0]),
          .lanes = {bars("value", feature(sample, 1, 0)),
                    answer(fmt::format("{} than {} steps", more, task.threshold))}};
}

// a, b, c, … for the symbols, and what stands for those after them.
std::vector<std::string> names_of(int symbols, std::initializer_list<const char*> others) {
  std::vector<std::string> names;
  for (int k = 0; k < symbols; ++k) names.emplace_back(1, static_cast<char>('a' + k));
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

Lane symbols(std::string label, const std::vector<std::int32_t>& said,
             const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::int32_t symbol : said) found.push_back(names[static_cast<std::size_t>(symbol)]);
  return symbols(std::move(label), std::move(found));
}

Example draw(const tasks::CopyTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"·", "|"});
  return {.title = "A sample: · is blank, | the delimiter",
          .lanes = {symbols("input", letters(sample, names)),
                    symbols("answer", sample.classes, names)}};
}

Example draw(const tasks::AddingTask& task, const Batch& sample) {
  const int mark = task.order == tasks::AddingOrder::kIndicatorValue ? 0 : 1;
  return {
      .title = "A sample: the sum of the two marked values",
      .lanes = {bars("mark", feature(sample, 2, mark)), bars("value", feature(sample, 2, 1 - mark)),
                answer(fmt::format("{:.3f}", sample.values[0]))}};
}

Example draw(const tasks::MnistTask& task, const Batch& sample) {
  return {.title = task.permuted ? "A digit, its pixels in the order in which they come in"
                                 : "A digit, whose pixels come in row by row",
          .lanes = {bars("pixels", feature(sample, 1, 0), tasks::kMnistSide),
                    answer(std::to_string(sample.classes[0]))}};
}

Example draw(const tasks::MultiCopyTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"·", "|"});
  return {
      .title = "A sample: · is blank, | the delimiter",
      .lanes = {symbols("input", sample.symbols, names), symbols("answer", sample.classes, names)}};
}

Example draw(const tasks::XorTask& task, const Batch& sample) {
  Example example{.title = "A sample: is the number of ones so far odd?", .lanes = {}};
  for (int i = 0; i < task.bits; ++i) {
    example.lanes.push_back(bars(fmt::format("bit {}", i + 1), feature(sample, task.bits, i)));
  }
  std::vector<std::string> odd;
  for (const float value : sample.values) odd.emplace_back(value == 1 ? "1" : "0");
  example.lanes.push_back(symbols("answer", std::move(odd)));
  return example;
}

Example draw(const tasks::LookAheadTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"·"});
  return {
      .title = fmt::format("A sample: what comes {} steps later", task.ahead),
      .lanes = {symbols("input", sample.symbols, names), symbols("answer", sample.classes, names)}};
}

Example draw(const tasks::AutoencodeTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"|"});
  return {
      .title = "A sample: the sequence again, and | its end",
      .lanes = {symbols("input", sample.symbols, names), symbols("answer", sample.classes, names)}};
}

Example draw(const tasks::SpellingTask& task, const Batch& sample) {
  std::vector<std::string> numbers;
  for (const float number : sample.x) numbers.push_back(fmt::format("{:.3f}", number));
  std::vector<std::string> digits;
  for (const std::int32_t digit : sample.classes) digits.push_back(std::to_string(digit));
  return {
      .title = fmt::format("A sample: numbers as {} digits each, base {}", task.digits, task.base),
      .lanes = {symbols("numbers", {fmt::format("{}", fmt::join(numbers, ", "))}),
                symbols("answer", std::move(digits))}};
}

// Somebody's own files are none of the paper's: open() has none of them.
Example draw(const datasets::FilesTask& /*task*/, const Batch& /*sample*/) { return {}; }

// Nothing where MNIST is not to be had.
std::unique_ptr<datasets::Dataset> open(const training::Experiment& experiment) {
  if (std::holds_alternative<datasets::FilesTask>(experiment.task)) return nullptr;
  const bool mnist = std::holds_alternative<tasks::MnistTask>(experiment.task);
  try {
    return tasks::open_task(experiment.task, experiment.seed, mnist ? find_mnist({}) : "");
  } catch (const Error&) {
    if (mnist) return nullptr;
    throw;
  }
}

// The first that has steps to show and, where `yes` is given, this answer.
std::optional<Batch> find_sample(const datasets::Dataset& samples, std::optional<bool> yes) {
  constexpr std::int64_t kTries = 1000;
  Batch sample;
  for (std::int64_t i = 0; i < std::min(kTries, samples.size(datasets::Split::kTest)); ++i) {
    samples.fill(datasets::Split::kTest, {{i}}, sample);
    if (sample.lengths[0] > 0 && (!yes || is_yes(sample) == *yes)) return sample;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Example> examples_of(const training::Experiment& experiment) {
  std::vector<Example> examples;
  const auto samples = open(experiment);
  if (!samples) return examples;
  std::vector<std::optional<bool>> answers = {std::nullopt};
  const datasets::Shape& shape = samples->shape();
  if (shape.loss == Loss::kSigmoid && shape.readout == Readout::kLast) answers = {true, false};
  for (const std::optional<bool> yes : answers) {
    const std::optional<Batch> sample = find_sample(*samples, yes);
    if (!sample) continue;
    examples.push_back(
        std::visit([&](const auto& task) { return draw(task, *sample); }, experiment.task));
  }
  return examples;
}

}  // namespace rwa::paper
