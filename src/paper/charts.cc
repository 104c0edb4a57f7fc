#include "paper/charts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper/evidence.h"
#include "paper/external_files.h"
#include "paper/words.h"
#include "rwa/errors.h"
#include "tasks/task.h"

namespace rwa::paper {
namespace {

using report::Curve;
using report::Role;

// The value of an evaluation that is drawn.
std::optional<double> height(const Entry& entry, double loss,
                             const std::optional<double>& accuracy) {
  if (!entry.plot_accuracy) return loss;
  if (!accuracy) return std::nullopt;
  return 100 * *accuracy;
}

Curve curve_of(const Entry& entry, const Evidence& run) {
  Curve curve{.label = "", .role = Role::kRwa};
  for (const Point& point : run.curve.points) {
    const auto y = height(entry, point.loss, point.accuracy);
    if (!y) continue;
    curve.x.push_back(static_cast<double>(point.step));
    curve.y.push_back(*y);
  }
  return curve;
}

void cut(Curve& curve, double last) {
  const auto end = std::ranges::upper_bound(curve.x, last);
  curve.y.resize(static_cast<std::size_t>(end - curve.x.begin()));
  curve.x.erase(end, curve.x.end());
}

// Skips lines that were not run.
std::vector<Curve> curves_of(const Entry& entry, const std::vector<Line>& lines,
                             const Library& library) {
  std::vector<Curve> curves;
  for (const Line& line : lines) {
    const auto found = library.find(line.key);
    if (found == library.end()) continue;
    std::vector<Curve> runs;
    for (const Evidence& run : found->second) runs.push_back(curve_of(entry, run));
    curves.push_back(report::median_curve(runs, line.label, line.role));
  }
  return curves;
}

// All models of an entry, run or not, so that each has the same colour in all charts.
std::vector<Line> lines_of(const Entry& entry, const std::string& variant) {
  const std::vector<std::string> models = models_of(entry);
  const std::vector<Role> roles = roles_of(models);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < models.size(); ++i) {
    lines.push_back({name_of(models[i]), roles[i], {entry.experiment.name, variant, models[i]}});
  }
  return lines;
}

std::vector<Line> lines_of_authors(const std::string& experiment) {
  const auto line = [&](const char* model, Role role) {
    return Line{name_of(model) + " (authors)", role, {experiment, kScript, model}};
  };
  return {line(kRwa, Role::kRwaReference), line(kLstm, Role::kLstmReference)};
}

double last_step(const std::vector<Curve>& curves) {
  double last = 0;
  for (const Curve& curve : curves) {
    if (!curve.x.empty()) last = std::max(last, curve.x.back());
  }
  return last;
}

std::string caption_of(const training::Evaluation& evaluation, bool has_bands) {
  std::string text = fmt::format("Evaluated every {} steps on {} test samples.", evaluation.every,
                                 evaluation.samples);
  if (has_bands) {
    text += " Lines are medians over seeds; bands span minimum to maximum.";
  }
  return text + " Dashed: the baseline, the best score possible without the input.";
}

std::string caption_of_authors(const Entry& entry, const std::string& variant) {
  const std::string text = " Faint: the authors' curves";
  if (variant == kScript) return text + " on the same task.";
  return text +
         fmt::format(" on the task of their scripts, which differs: {}.", entry.script_differs);
}

std::string label_of_loss(const tasks::Facts& task) {
  return task.shape.loss == Loss::kSquaredError ? "mean squared error" : "loss (bits)";
}

}  // namespace

std::vector<std::string> variants_run(const Entry& entry, const Library& ours) {
  std::set<std::string> found;
  for (const auto& [key, evidence] : ours) {
    if (key.experiment == entry.experiment.name) found.insert(key.variant);
  }
  std::vector<std::string> variants = variants_of(entry);
  std::erase_if(variants, [&](const std::string& name) { return !found.contains(name); });
  return variants;
}

std::vector<std::string> models_run(const Entry& entry, const std::string& variant,
                                    const Library& ours) {
  std::vector<std::string> models = models_of(entry);
  std::erase_if(models, [&](const std::string& model) {
    return !ours.contains({entry.experiment.name, variant, model});
  });
  return models;
}

std::vector<Role> roles_of(const std::vector<std::string>& models) {
  std::vector<Role> roles;
  std::size_t others = 0;
  for (const std::string& model : models) {
    roles.push_back(model == kRwa    ? Role::kRwa
                    : model == kLstm ? Role::kLstm
                                     : report::other_role(others++));
  }
  return roles;
}

report::Chart training_chart(const training::Experiment& experiment, const std::vector<Line>& lines,
                             const Library& ours) {
  const Entry& entry = find(experiment.name);
  const tasks::Facts task = tasks::facts(experiment.task);
  std::vector<Curve> curves = curves_of(entry, lines, ours);
  const bool has_bands =
      std::ranges::any_of(curves, [](const Curve& curve) { return !curve.low.empty(); });
  if (const auto naive = height(entry, task.naive.loss, task.naive.accuracy)) {
    curves.push_back({.label = "baseline",
                      .role = Role::kNaive,
                      .x = {0, last_step(curves)},
                      .y = {*naive, *naive},
                      .low = {},
                      .high = {}});
  }
  return {.id = id_of(experiment),
          .title = with_variant(entry.title, experiment.variant),
          .caption = caption_of(experiment.evaluation, has_bands),
          .x_label = "training steps",
          .y_label = entry.plot_accuracy ? "accuracy (%)" : label_of_loss(task),
          .log_y = entry.log_y,
          .curves = std::move(curves)};
}

report::Chart chart_of(const Entry& entry, const std::string& variant, const Library& ours,
                       const Library& authors) {
  report::Chart chart = training_chart(in_variant(entry, variant), lines_of(entry, variant), ours);
  const double last = last_step(chart.curves);
  std::vector<Curve> references =
      curves_of(entry, lines_of_authors(entry.experiment.name), authors);
  if (!references.empty()) chart.caption += caption_of_authors(entry, variant);
  for (Curve& curve : references) {
    cut(curve, last);
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

std::vector<report::Figure> figures_of(const Library& ours, const Library& authors) {
  std::map<std::tuple<bool, std::string, std::string>, report::Figure> figures;
  for (const Entry& entry : catalogue()) {
    const bool ours_alone = !is_of_paper(entry);
    const std::string number = ours_alone ? entry.experiment.name : std::to_string(entry.figure);
    for (const std::string& variant : variants_run(entry, ours)) {
      const std::string suffix = variant == kText ? "" : "-" + variant;
      report::Figure& figure = figures[{ours_alone, number, suffix}];
      figure.id = fmt::format("figure-{}{}", number, suffix);
      figure.title =
          with_variant(ours_alone ? "Beyond the paper" : fmt::format("Figure {}", number), variant);
      figure.panels.push_back(chart_of(entry, variant, ours, authors));
    }
  }
  std::vector<report::Figure> all;
  all.reserve(figures.size());
  for (auto& [key, figure] : figures) all.push_back(std::move(figure));
  return all;
}

namespace {

using datasets::Batch;
using report::Example;
using report::Lane;

// One feature of a batch that holds one sample.
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
Lane answer(std::string text) { return symbols("target", {std::move(text)}); }

bool is_yes(const Batch& sample) { return sample.values[0] == 1; }

Example draw(const tasks::GrammarTask& /*task*/, const Batch& sample) {
  const bool valid = is_yes(sample);
  std::vector<std::string> names;
  for (const char letter : tasks::kGrammarLetters) names.emplace_back(1, letter);
  return {.title = valid ? "A valid sentence" : "A sentence with a typo",
          .lanes = {symbols("letter", letters(sample, names)),
                    answer(valid ? "1 (valid)" : "0 (not valid)")}};
}

Example draw(const tasks::LengthTask& task, const Batch& sample) {
  const char* more = is_yes(sample) ? "1 (more than" : "0 (at most";
  return {.title = fmt::format("A sequence of {} steps", sample.lengths[0]),
          .lanes = {bars("value", feature(sample, 1, 0)),
                    answer(fmt::format("{} {} steps)", more, task.threshold))}};
}

// Names the symbols a, b, c, …, followed by `others`.
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
  return {.title = "A sample (·: blank, |: delimiter)",
          .lanes = {symbols("input", letters(sample, names)),
                    symbols("target", sample.classes, names)}};
}

Example draw(const tasks::AddingTask& task, const Batch& sample) {
  const int mark = task.order == tasks::AddingOrder::kIndicatorValue ? 0 : 1;
  return {
      .title = "A sample: the target is the sum of the two marked values",
      .lanes = {bars("mark", feature(sample, 2, mark)), bars("value", feature(sample, 2, 1 - mark)),
                answer(fmt::format("{:.3f}", sample.values[0]))}};
}

Example draw(const tasks::MnistTask& task, const Batch& sample) {
  return {.title = task.permuted ? "A digit with its pixels in the permuted order"
                                 : "A digit, read row by row",
          .lanes = {bars("pixels", feature(sample, 1, 0), tasks::kMnistSide),
                    answer(std::to_string(sample.classes[0]))}};
}

Example draw(const tasks::MultiCopyTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"·", "|"});
  return {
      .title = "A sample (·: blank, |: delimiter)",
      .lanes = {symbols("input", sample.symbols, names), symbols("target", sample.classes, names)}};
}

Example draw(const tasks::XorTask& task, const Batch& sample) {
  Example example{.title = "A sample: the target is 1 if the number of ones so far is odd",
                  .lanes = {}};
  for (int i = 0; i < task.bits; ++i) {
    example.lanes.push_back(bars(fmt::format("bit {}", i + 1), feature(sample, task.bits, i)));
  }
  std::vector<std::string> odd;
  for (const float value : sample.values) odd.emplace_back(value == 1 ? "1" : "0");
  example.lanes.push_back(symbols("target", std::move(odd)));
  return example;
}

Example draw(const tasks::LookAheadTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"·"});
  return {
      .title = fmt::format("A sample: the target is the input {} steps later", task.ahead),
      .lanes = {symbols("input", sample.symbols, names), symbols("target", sample.classes, names)}};
}

Example draw(const tasks::AutoencodeTask& task, const Batch& sample) {
  const auto names = names_of(task.symbols, {"|"});
  return {
      .title = "A sample: the target is the input, then its end (|)",
      .lanes = {symbols("input", sample.symbols, names), symbols("target", sample.classes, names)}};
}

Example draw(const tasks::SpellingTask& task, const Batch& sample) {
  std::vector<std::string> numbers;
  for (const float number : sample.x) numbers.push_back(fmt::format("{:.3f}", number));
  std::vector<std::string> digits;
  for (const std::int32_t digit : sample.classes) digits.push_back(std::to_string(digit));
  return {.title = fmt::format("A sample: each number becomes {} digits in base {}", task.digits,
                               task.base),
          .lanes = {symbols("numbers", {fmt::format("{}", fmt::join(numbers, ", "))}),
                    symbols("target", std::move(digits))}};
}

// Never called: open() returns no data set for files.
Example draw(const datasets::FilesTask& /*task*/, const Batch& /*sample*/) { return {}; }

// Null for files, and for MNIST if it cannot be read.
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

// The first sample that is not empty and, if `yes` is given, has this target.
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
