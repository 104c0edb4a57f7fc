// src/workflows/training_page_scores.cc: the scores in the report of a training: charts, and the
// tables of score.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/score_sums.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

using report::Chart;
using report::Curve;
using report::Heading;
using report::Role;
using report::Table;
using report::Text;

constexpr std::size_t kMostInMatrix = 20;
constexpr std::size_t kMostPairs = 30;
constexpr std::size_t kMostNumbers = 3;  // drawn

double share_of(std::int64_t part, const std::vector<std::int64_t>& row) {
  const auto all = std::accumulate(row.begin(), row.end(), std::int64_t{0});
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

report::HeatTable matrix_of(const Scores& scores) {
  report::HeatTable matrix{.rows_are = "truth",
                           .columns_are = "prediction",
                           .rows = {},
                           .columns = {},
                           .cells = {},
                           .good_is = "correct",
                           .bad_is = "wrong",
                           .share_of = "Share of the true class"};
  for (const LabelScore& label : scores.labels) matrix.rows.push_back(label.name);
  matrix.columns = matrix.rows;
  for (std::size_t truth = 0; truth < scores.confusion.size(); ++truth) {
    const auto& row = scores.confusion[truth];
    auto& cells = matrix.cells.emplace_back();
    for (std::size_t said = 0; said < row.size(); ++said) {
      cells.push_back({.text = row[said] > 0 ? report::in_thousands(row[said]) : "",
                       .share = share_of(row[said], row),
                       .good = truth == said});
    }
  }
  return matrix;
}

struct Pair {
  std::size_t truth = 0, said = 0;
  std::int64_t times = 0;
};

Table pairs_of(const Scores& scores) {
  std::vector<Pair> pairs;
  for (std::size_t truth = 0; truth < scores.confusion.size(); ++truth) {
    for (std::size_t said = 0; said < scores.confusion.size(); ++said) {
      const std::int64_t times = scores.confusion[truth][said];
      if (truth != said && times > 0) pairs.push_back({truth, said, times});
    }
  }
  std::ranges::stable_sort(pairs, std::greater(), &Pair::times);
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  Table table{.header = {"truth", "prediction", "count", "share of truth"}, .rows = {}};
  for (const Pair& pair : pairs) {
    table.rows.push_back(
        {{scores.labels[pair.truth].name},
         {scores.labels[pair.said].name},
         {report::in_thousands(pair.times)},
         {report::in_percent(share_of(pair.times, scores.confusion[pair.truth]))}});
  }
  return table;
}

void add_confusion(const Scores& scores, report::Page& page) {
  if (scores.confusion.empty()) return;
  page.blocks.emplace_back(Heading{"Confusion matrix", "confusion"});
  if (scores.confusion.size() <= kMostInMatrix) {
    page.blocks.emplace_back(matrix_of(scores));
    return;
  }
  Table pairs = pairs_of(scores);
  if (pairs.rows.empty()) {
    page.blocks.emplace_back(Text{"All predictions are correct."});
    return;
  }
  page.blocks.emplace_back(Text{"The most frequent errors:"});
  page.blocks.emplace_back(std::move(pairs));
}

// In percent, for bins that have predictions.
Chart calibration_of(const Scores& scores) {
  Chart chart{.id = "calibration",
              .title = "Confidence and accuracy",
              .caption = "Below the dashed line the model is overconfident.",
              .x_label = "confidence, %",
              .y_label = "accuracy, %"};
  Curve curve{.label = "the model", .role = Role::kRwa};
  for (const ConfidenceBin& bin : joined(scores.calibration)) {
    curve.x.push_back(100 * bin.confidence);
    curve.y.push_back(100 * bin.accuracy);
  }
  chart.curves = {
      std::move(curve),
      {.label = "perfectly calibrated", .role = Role::kNaive, .x = {0, 100}, .y = {0, 100}}};
  return chart;
}

Chart lengths_of(const Scores& scores) {
  Chart chart{.id = "length",
              .title = "Error by length",
              .caption = "Each point is a group of sequences of similar length.",
              .x_label = "steps",
              .y_label = scores.accuracy ? "errors, %" : "loss, " + report::unit_name(scores.unit)};
  Curve curve{.label = "the model", .role = Role::kRwa};
  for (const LengthBin& bin : scores.lengths) {
    curve.x.push_back((static_cast<double>(bin.shortest) + bin.longest) / 2);
    curve.y.push_back(bin.accuracy ? 100 * (1 - *bin.accuracy) : bin.loss);
  }
  chart.curves = {std::move(curve)};
  return chart;
}

// Truth against prediction, and what is left, of one number.
void add_panels(const NumberScore& score, report::Figure& figure) {
  Curve both{.label = "", .role = Role::kRwa, .points = true};
  Curve left = both;
  double least = score.shown.front().truth, most = least;
  for (const auto& [truth, prediction] : score.shown) {
    both.x.push_back(truth);
    both.y.push_back(prediction);
    left.x.push_back(prediction);
    left.y.push_back(double{prediction} - truth);
    least = std::min<double>(least, truth);
    most = std::max<double>(most, truth);
  }
  const auto [low, high] = std::ranges::minmax(left.x);
  const std::string id = fmt::format("{}", figure.panels.size() / 2 + 1);
  figure.panels.push_back(
      {.id = "truth-" + id,
       .title = score.name,
       .caption = "Dashed: perfect predictions.",
       .x_label = "truth",
       .y_label = "prediction",
       .curves = {std::move(both),
                  {.label = "", .role = Role::kNaive, .x = {least, most}, .y = {least, most}}}});
  figure.panels.push_back(
      {.id = "residuals-" + id,
       .title = "Residuals",
       .caption = "Above the dashed line the prediction is too high.",
       .x_label = "prediction",
       .y_label = "prediction - truth",
       .curves = {std::move(left),
                  {.label = "", .role = Role::kNaive, .x = {low, high}, .y = {0, 0}}}});
}

void add_numbers(const Scores& scores, report::Page& page) {
  report::Figure figure{.id = "figure-numbers", .title = ""};
  for (const NumberScore& score : scores.numbers) {
    if (!score.shown.empty() && figure.panels.size() < 2 * kMostNumbers) add_panels(score, figure);
  }
  if (figure.panels.empty()) return;
  page.blocks.emplace_back(Heading{"Truth and prediction", "numbers"});
  page.blocks.emplace_back(std::move(figure));
}

void add_charts(const Scores& scores, report::Page& page) {
  report::Figure figure{.id = "figure-answers", .title = ""};
  if (!scores.calibration.empty()) figure.panels.push_back(calibration_of(scores));
  if (scores.lengths.size() > 1) figure.panels.push_back(lengths_of(scores));
  if (figure.panels.empty()) return;
  page.blocks.emplace_back(
      Heading{scores.calibration.empty() ? "Length" : "Confidence and length", "confidence"});
  page.blocks.emplace_back(std::move(figure));
}

}  // namespace

// Of the folds of a cross-validation the scores are a row each; the tables below are of all
// together.
void add_scores(const PageContent& content, report::Page& page) {
  if (!content.folds.rows.empty()) {
    page.blocks.emplace_back(Heading{"Cross-validation", "folds"});
    page.blocks.emplace_back(content.folds);
  }
  if (content.parts.empty()) return;
  const Scores scores = pooled(content.parts);
  std::vector<ScoreTable> all = tables(scores, content.baselines, 0);
  if (!content.baselines.empty()) {
    page.blocks.emplace_back(Heading{all.front().title, "scores"});
    page.blocks.emplace_back(std::move(all.front().table));
  }
  add_numbers(scores, page);
  add_confusion(scores, page);
  add_charts(scores, page);
  for (std::size_t i = 1; i < all.size(); ++i) {
    page.blocks.emplace_back(Heading{all[i].title, fmt::format("scores-{}", i)});
    page.blocks.emplace_back(std::move(all[i].table));
  }
}

}  // namespace rwa::workflows
