// tests/report/sample_page.h: a page with every kind of block and every special case of a chart:
// logarithmic axes, bands, references, different steps, values that an axis cannot show, a single
// point, no points, and text that looks like code.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "report/page.h"

namespace rwa::report {

inline constexpr const char* kHostile =
    "\"; system \"touch x\"; '`touch x`' @macro \\ <script>alert(1)</script></script> ]]> & % "
    "{/=40 big}\n\xff\x01 ünïcödé";

// Falls from `from` to `to` around step `middle`, with a ripple as noise.
inline Curve falling(std::string label, Role role, double every, double from, double to,
                     double middle) {
  Curve curve{.label = std::move(label), .role = role, .x = {}, .y = {}, .low = {}, .high = {}};
  for (double x = 0; x <= 20'000; x += every) {
    const double share = 1 / (1 + std::exp((x - middle) / (0.15 * middle)));
    curve.x.push_back(x);
    curve.y.push_back((to + (from - to) * share) * (1 + 0.1 * std::sin(x / 230)));
  }
  return curve;
}

inline Curve with_band(Curve curve, double share) {
  for (const double y : curve.y) {
    curve.low.push_back(y * (1 - share));
    curve.high.push_back(y * (1 + share));
  }
  return curve;
}

inline Curve level(double y) {
  return {
      .label = "naive", .role = Role::kNaive, .x = {0, 20'000}, .y = {y, y}, .low = {}, .high = {}};
}

inline Chart losses(std::string id, bool log_x, bool log_y) {
  Chart chart{.id = std::move(id),
              .title = "Adding two numbers, 100 steps",
              .caption = "Median of three seeds; the band spans minimum to maximum.",
              .x_label = "training steps",
              .y_label = "mean squared error",
              .log_x = log_x,
              .log_y = log_y,
              .curves = {}};
  chart.curves = {with_band(falling("RWA", Role::kRwa, 100, 0.18, 1e-4, 1'000), 0.4),
                  with_band(falling("LSTM", Role::kLstm, 100, 0.18, 1e-3, 4'000), 0.4),
                  falling("RWA, authors", Role::kRwaReference, 130, 0.18, 1e-4, 1'300),
                  falling("LSTM, authors", Role::kLstmReference, 130, 0.18, 1e-3, 5'000),
                  level(0.167)};
  // Values that a run may write and an axis cannot show.
  Curve& rwa = chart.curves.front();
  rwa.y[10] = std::numeric_limits<double>::quiet_NaN();
  rwa.y[11] = std::numeric_limits<double>::infinity();
  rwa.y[12] = 0;
  rwa.low[13] = -1;
  return chart;
}

inline Chart lone_point() {
  Chart chart = losses("lone-point", false, false);
  chart.title = "A run that has just begun";
  chart.curves = {
      {.label = "RWA", .role = Role::kRwa, .x = {100}, .y = {0.5}, .low = {}, .high = {}},
      {.label = "LSTM", .role = Role::kLstm, .x = {}, .y = {}, .low = {}, .high = {}}};
  return chart;
}

inline Chart no_points() {
  Chart chart = lone_point();
  chart.id = "no-points";
  chart.title = "A run without an evaluation";
  chart.curves.erase(chart.curves.begin());
  return chart;
}

inline Chart hostile_chart() {
  Chart chart = losses("hostile", false, true);
  chart.title = chart.caption = chart.x_label = chart.y_label = kHostile;
  for (Curve& curve : chart.curves) curve.label += kHostile;
  return chart;
}

// Several points at the same x, and a line without an entry in the legend.
inline Chart points() {
  Chart chart = losses("points", false, false);
  Curve cloud{.label = "predictions", .role = Role::kRwa, .points = true};
  for (int i = 0; i < 200; ++i) {
    cloud.x.push_back(i / 20);
    cloud.y.push_back(i / 20 + std::sin(i * i));
  }
  chart.curves = {std::move(cloud), {.label = "", .role = Role::kNaive, .x = {0, 9}, .y = {0, 9}}};
  return chart;
}

// Months from 1990 on, the last year with a band.
inline Chart months() {
  Chart chart = losses("months", false, false);
  Curve known{.label = "sales", .role = Role::kLstm};
  Curve ahead{.label = "forecast", .role = Role::kRwa};
  for (int i = 0; i < 72; ++i) {
    Curve& curve = i < 60 ? known : ahead;
    curve.x.push_back(631'152'000.0 + i * 2'629'746.0);
    curve.y.push_back(100 + i + 20 * std::sin(i * 0.5236));
  }
  chart.curves = {std::move(known), with_band(std::move(ahead), 0.1)};
  chart.x_is_time = true;
  return chart;
}

inline Card sample_card() {
  return {{{"Data", Text{"sales.csv: 1 series of 144 steps"}},
           {kHostile, Text{kHostile}},
           {"Use", Code{"rwa predict runs/a NEW\nrwa explain runs/a NEW # <b>"}}}};
}

inline std::vector<Example> sample_examples() {
  Lane grammar{"input", {}, {"B", "T", "S", "X", "X", "V", "V", "E"}, 0};
  Lane input{"input", {}, {}, 0};
  Lane target{"target", {}, {}, 0};
  for (int i = 0; i < 1020; ++i) {
    input.symbols.push_back(i < 10 ? std::string(1, static_cast<char>('1' + i * 7 % 8))
                                   : (i == 400 ? "|" : "·"));
    target.symbols.push_back(i > 400 && i <= 410 ? input.symbols[static_cast<std::size_t>(i - 401)]
                                                 : "·");
  }
  Lane indicator{"indicator", std::vector<double>(1000), {}, 0};
  indicator.values[123] = indicator.values[801] = 1;
  Lane value{"value", {}, {}, 0};
  Lane noise{"value", {}, {}, 0};
  Lane digit{"pixels", {}, {}, 28};
  for (int i = 0; i < 1000; ++i) value.values.push_back(0.5 + 0.5 * std::sin(i * i));
  for (int i = 0; i < 37; ++i) noise.values.push_back(2 * std::sin(i * i));
  for (int i = 0; i < 784; ++i) {
    digit.values.push_back(
        std::exp(-std::pow(std::hypot(i % 28 - 13.5, i / 28 - 13.5) - 8, 2) / 3));
  }
  const auto answer = [](std::string text) { return Lane{"target", {}, {std::move(text)}, 0}; };
  return {{"Is this a sentence of the grammar?", {grammar, answer("yes")}},
          {"Repeat the symbols after the bar", {input, target}},
          {"Add the two marked values", {indicator, value, answer("1.372")}},
          {"Is the sequence longer than 50 steps?", {noise, answer("no")}},
          {"Which digit?", {digit, answer("0")}},
          {kHostile, {Lane{kHostile, {}, {"<b>", "\"", "&"}, 0}, Lane{"", {}, {}, 0}}}};
}

inline Table sample_table() {
  return {
      {"claim", "paper", "measured", "authors' curves"},
      {{{"adding-100: RWA beats the baseline"}, {"under 1,000"}, {"600", Mark::kYes}, {"600"}},
       {{"adding-100: LSTM beats the baseline"}, {"about 3,000"}, {"5,100", Mark::kNo}, {"3,000"}},
       {{"mnist: accuracy after 250,000 steps"}, {"98.1 %"}, {"", Mark::kOpen}, {"—"}},
       {{kHostile}, {"a | b"}, {"*x*", Mark::kYes}, {"1"}}},
      true};
}

inline HeatTable sample_matrix() {
  HeatTable table{.rows_are = "truth",
                  .columns_are = "prediction",
                  .rows = {},
                  .columns = {},
                  .cells = {},
                  .good_is = kHostile,
                  .bad_is = "wrong",
                  .share_of = "Share of the row"};
  for (int i = 0; i < 9; ++i) table.rows.push_back("class " + std::to_string(i));
  table.rows.back() = kHostile;
  table.columns = table.rows;
  for (int i = 0; i < 9; ++i) {
    auto& cells = table.cells.emplace_back();
    for (int k = 0; k < 9; ++k) {
      const double share = i == k ? 0.6 : 0.05 * ((3 * i + 5 * k) % 4);
      cells.push_back({std::to_string(static_cast<int>(100 * share)), share, i == k});
    }
  }
  return table;
}

inline std::vector<Steps> sample_steps() {
  Steps letters{.title = "Letters", .caption = "Blue supports the prediction, orange opposes it."};
  Steps words{.title = kHostile, .caption = kHostile};
  Steps curves{.title = "Curves", .first = 101, .weights_are = "share", .rows_are = "units"};
  for (int i = 0; i < 150; ++i) {
    letters.symbols.emplace_back(1, "ACGT"[i * i % 7 % 4]);
    letters.weights.push_back(std::sin(0.3 * i) * std::exp(-0.02 * i));
    words.symbols.push_back(i % 5 == 0 ? kHostile : "word" + std::to_string(i * i));
    words.weights.push_back(i % 7 == 0 ? 1 : 0.1);
    curves.weights.push_back(std::exp(-std::pow((i - 90) / 12.0, 2)));
  }
  for (const char* name : {"height", kHostile}) {
    Track track{.name = name, .values = {}};
    for (int i = 0; i < 150; ++i) {
      track.values.push_back(std::sin(0.1 * i) + 0.1 * std::sin(i * i));
      track.weights.push_back(std::sin(0.05 * i));
    }
    curves.tracks.push_back(std::move(track));
  }
  for (int unit = 0; unit < 20; ++unit) {
    auto& row = curves.rows.emplace_back();
    for (int i = 0; i < 150; ++i) row.push_back(std::exp(-std::pow((i - 7 * unit) / 9.0, 2)));
  }
  return {letters, words, curves};
}

inline Page sample_page() {
  Page page{.title = "Recurrent Weighted Average, reproduced",
            .subtitle = "Nine experiments, two models, and the authors' curves for comparison.",
            .blocks = {}};
  const auto add = [&page](Block block) { page.blocks.push_back(std::move(block)); };
  add(Lead{"38 of 49 claims reproduced", kHostile});
  add(sample_card());
  add(Heading{"Claims", "claims"});
  add(
      Text{"The paper reports how many steps each model needs to beat the baseline. The table "
           "compares its numbers with those measured here."});
  add(sample_table());
  add(Heading{"Curves", "curves"});
  add(Text{kHostile});
  add(Figure{"figure-5",
             "Figure 5: the adding problem",
             {losses("linear", false, false), losses("log-y", false, true)}});
  add(Figure{"figure-log",
             "The same with a logarithmic step axis",
             {losses("log-x", true, false), losses("log-log", true, true)}});
  add(Figure{"figure-few", "Few points", {lone_point(), no_points()}});
  add(Heading{kHostile, "minor", true});
  add(Figure{"figure-points", "Small", {points(), months()}, kHostile, true});
  add(Code{"rwa paper run adding-100 " + std::string(kHostile)});
  add(Figure{"figure-hostile", kHostile, {hostile_chart()}});
  add(Heading{"Examples", "examples"});
  for (const Example& example : sample_examples()) add(example);
  add(sample_matrix());
  for (const Steps& steps : sample_steps()) add(steps);
  return page;
}

}  // namespace rwa::report
