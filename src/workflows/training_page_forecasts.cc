// src/workflows/training_page_forecasts.cc: series, their forecasts and what follows them, in the
// report of a training.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/forecasts.h"
#include "workflows/predict.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

using datasets::Forecast;
using datasets::Range;
using formats::Sequence;
using formats::TimeForm;
using report::Chart;
using report::Curve;
using report::Role;

// Only the colours of these roles are used.
constexpr Role kForecast = Role::kRwa;
constexpr Role kAhead = Role::kOther1;
constexpr Role kSeries = Role::kOther6;

constexpr std::size_t kMostTargets = 6;  // drawn of a single series
constexpr std::size_t kMostInTable = 3;
constexpr std::size_t kMostSeries = 5;
constexpr std::size_t kMostWindows = 12;  // of a series

// A window that was held out.
struct Origin {
  const HeldOutPart* part;
  std::int64_t number;
  int step;  // the first one that is forecast
};

struct Drawn {
  const Sequence* series;
  std::vector<Origin> origins = {};
  double error = 0;  // the mean over the origins
};

std::vector<Drawn> series_of(const std::vector<HeldOutPart>& parts) {
  std::vector<Drawn> all;
  std::map<const Sequence*, std::size_t> places;  // in `all`
  for (const HeldOutPart& part : parts) {
    const datasets::Split split = held_out(*part.files);
    for (std::int64_t i = 0; i < part.files->size(split); ++i) {
      int step = 0;
      const Sequence* const series = &part.files->series()->of_window(split, i, step);
      const auto [place, is_new] = places.emplace(series, all.size());
      if (is_new) all.push_back({series});
      Drawn& found = all[place->second];
      found.origins.push_back({&part, i, step});
      found.error += part.scores->window_errors[static_cast<std::size_t>(i)];
    }
  }
  for (Drawn& one : all) one.error /= static_cast<double>(one.origins.size());
  return all;
}

// From the best to the worst forecast, evenly spaced.
std::vector<Drawn> selected(std::vector<Drawn> all) {
  if (all.size() <= kMostSeries) return all;
  std::ranges::stable_sort(all, {}, &Drawn::error);
  std::vector<Drawn> some;
  for (std::size_t i = 0; i < kMostSeries; ++i) {
    some.push_back(all[i * (all.size() - 1) / (kMostSeries - 1)]);
  }
  return some;
}

// The last ones that do not overlap, in time order.
void thin(std::vector<Origin>& origins, int horizon) {
  std::ranges::sort(origins, {}, &Origin::step);
  std::vector<Origin> kept;
  for (auto origin = origins.rbegin(); origin != origins.rend(); ++origin) {
    if (kept.size() == kMostWindows) break;
    if (kept.empty() || origin->step + horizon <= kept.back().step) kept.push_back(*origin);
  }
  std::ranges::reverse(kept);
  origins = std::move(kept);
}

// [numbers] of one window.
std::vector<Range> ranges(const training::RunStore& run, const datasets::Encoding& encoding,
                          const Sequence& window) {
  std::vector<Range> made;
  bool is_read = false;
  predict(
      run.model(), encoding,
      [&](Sample& sample) {
        sample.sequence = window;
        return !std::exchange(is_read, true);
      },
      {},
      [&](const Sample&, std::span<const float> outputs) {
        made = datasets::ranges_of(encoding.forecast, encoding.schema.features.size(), window,
                                   outputs);
      });
  return made;
}

// A forecast with its places on the x axis.
struct Made {
  std::vector<double> x;
  std::vector<Range> ranges;     // [horizon][targets]
  std::vector<Sequence> window;  // one: what it was made from
};

bool is_calendar(const datasets::Encoding& encoding) {
  const auto form = encoding.schema.time_form;
  return form && *form != TimeForm::kNumber && *form != TimeForm::kTimeOfDay;
}

// Dates, or the numbers of steps from 1.
std::vector<double> places_ahead(const datasets::Encoding& encoding, const Sequence& window,
                                 int step) {
  if (is_calendar(encoding)) {
    if (auto times = times_ahead(encoding, window); !times.empty()) return times;
  }
  std::vector<double> places;
  for (int h = 1; h <= encoding.forecast.horizon; ++h) places.push_back(step + h);
  return places;
}

Made held_out_forecast(const Origin& origin) {
  const datasets::Files& files = *origin.part->files;
  Sequence window;
  files.sample(held_out(files), origin.number, window);
  return {places_ahead(files.encoding(), window, origin.step),
          ranges(*origin.part->run, files.encoding(), window),
          {window}};
}

Made forecast_ahead(const PageContent& content, const Sequence& series) {
  const datasets::Encoding& encoding = content.files.encoding();
  Sequence window = datasets::window_of(encoding.forecast, encoding.schema.features.size(), series,
                                        series.steps, series.steps);
  return {places_ahead(encoding, window, series.steps),
          ranges(*content.store, encoding, window),
          {window}};
}

Curve curve_of(const Made& made, std::size_t target, std::size_t targets, std::string label,
               Role role) {
  Curve curve{.label = std::move(label), .role = role, .x = made.x};
  for (std::size_t i = target; i < made.ranges.size(); i += targets) {
    curve.low.push_back(made.ranges[i].low);
    curve.y.push_back(made.ranges[i].median);
    curve.high.push_back(made.ranges[i].high);
  }
  return curve;
}

// What is drawn of a series: the forecasts of its held-out part, and what follows it.
struct Forecasts {
  const Sequence* series;
  int begin = 0;  // the first step that is drawn
  std::vector<Made> held_out = {};
  std::optional<Made> ahead = {};
};

Forecasts forecasts_of(const PageContent& content, Drawn drawn) {
  const Forecast& forecast = content.files.encoding().forecast;
  thin(drawn.origins, forecast.horizon);
  const int first = drawn.origins.front().step;
  const int known = std::max(forecast.history, 2 * (drawn.series->steps - first));
  Forecasts made{.series = drawn.series, .begin = std::max(0, first - known)};
  for (const Origin& origin : drawn.origins) made.held_out.push_back(held_out_forecast(origin));
  if (content.store != nullptr) made.ahead = forecast_ahead(content, *drawn.series);
  return made;
}

Curve curve_of_series(const datasets::Encoding& encoding, const Forecasts& made,
                      std::size_t feature) {
  const Sequence& series = *made.series;
  const std::size_t features = encoding.schema.features.size();
  const bool has_times = is_calendar(encoding) && !series.times.empty();
  Curve curve{.label = encoding.schema.features[feature], .role = kSeries};
  for (int t = made.begin; t < series.steps; ++t) {
    const auto at = static_cast<std::size_t>(t);
    curve.x.push_back(has_times ? series.times[at] : t + 1);
    curve.y.push_back(series.x[at * features + feature]);
  }
  return curve;
}

// The better known of the simple forecasts.
Curve naive_of(const datasets::Encoding& encoding, const Made& made, std::size_t target,
               std::string label) {
  const Forecast& forecast = encoding.forecast;
  const auto kind = forecast.season > 1 ? datasets::Simple::kSeasonal : datasets::Simple::kLast;
  return {.label = label.empty() ? label : std::string(to_string(kind)),
          .role = Role::kNaive,
          .x = made.x,
          .y = datasets::simple_forecast(forecast, encoding.schema.features.size(),
                                         made.window.front(), target, kind)};
}

Chart chart_of(const PageContent& content, const Forecasts& made, std::size_t target) {
  const datasets::Encoding& encoding = content.files.encoding();
  const Forecast& forecast = encoding.forecast;
  const std::size_t targets = forecast.targets.size();
  const std::size_t feature = forecast.targets[target];
  const bool has_times = is_calendar(encoding) && !made.series->times.empty();
  Chart chart{.x_label = has_times ? encoding.schema.time : "step",
              .y_label = encoding.schema.features[feature],
              .x_is_time = has_times};
  chart.curves.push_back(curve_of_series(encoding, made, feature));
  std::string label = fmt::format("forecast, with {:.0f} % interval", 100 * forecast.interval);
  for (const Made& one : made.held_out) {
    chart.curves.push_back(naive_of(encoding, one, target, label));
    chart.curves.push_back(curve_of(one, target, targets, std::exchange(label, ""), kForecast));
  }
  if (made.ahead) {
    const std::string next =
        fmt::format("next {} {}", forecast.horizon, unit_of_steps(encoding, *made.series));
    chart.curves.push_back(curve_of(*made.ahead, target, targets,
                                    forecast.horizon == 1 ? "what follows" : next, kAhead));
  }
  return chart;
}

std::string title_of(const PageContent& content, const Drawn& one, bool is_alone,
                     std::size_t target) {
  const datasets::Encoding& encoding = content.files.encoding();
  if (is_alone) return encoding.schema.features[encoding.forecast.targets[target]];
  return fmt::format("{}: MASE {}", one.series->id, report::in_digits(one.error));
}

// What follows a series, in numbers.
report::Table next_steps(const PageContent& content, const Forecasts& made) {
  const datasets::Encoding& encoding = content.files.encoding();
  const std::size_t targets = encoding.forecast.targets.size();
  const auto times = times_ahead(encoding, made.ahead->window.front());
  report::Table table{.header = {times.empty() ? "step" : encoding.schema.time}, .rows = {}};
  for (const std::size_t target : encoding.forecast.targets) {
    const std::string& name = encoding.schema.features[target];
    for (const char* end : {"", ", lower end", ", upper end"}) table.header.push_back(name + end);
  }
  for (int h = 0; h < encoding.forecast.horizon; ++h) {
    auto& row = table.rows.emplace_back();
    row.push_back({name_of_step(encoding, times, made.series->steps + 1, h)});
    for (std::size_t k = 0; k < targets; ++k) {
      const Range& range = made.ahead->ranges[static_cast<std::size_t>(h) * targets + k];
      for (const double number : {range.median, range.low, range.high}) {
        row.push_back({report::in_digits(number, 4)});
      }
    }
  }
  return table;
}

}  // namespace

void add_forecasts(const PageContent& content, report::Page& page) {
  std::vector<HeldOutPart> parts = content.parts;
  std::erase_if(parts, [](const HeldOutPart& part) { return part.run == nullptr; });
  if (!content.files.encoding().forecast.is_needed() || parts.empty()) return;
  const std::vector<Drawn> all = series_of(parts);
  const std::vector<Drawn> some = selected(all);
  const bool is_alone = all.size() == 1;
  const std::size_t targets = content.files.encoding().forecast.targets.size();
  report::Figure figure{.id = "figure-forecasts", .title = ""};
  report::Table next;
  for (const Drawn& one : some) {
    const Forecasts made = forecasts_of(content, one);
    for (std::size_t k = 0; k < (is_alone ? std::min(targets, kMostTargets) : 1); ++k) {
      Chart chart = chart_of(content, made, k);
      chart.id = fmt::format("forecast-{}", figure.panels.size() + 1);
      chart.title = title_of(content, one, is_alone, k);
      figure.panels.push_back(std::move(chart));
    }
    if (is_alone && made.ahead && targets <= kMostInTable) next = next_steps(content, made);
  }
  page.blocks.emplace_back(report::Heading{"Forecasts", "forecasts"});
  std::string text = "No forecast was made by a model that had seen the steps it covers.";
  if (some.size() < all.size()) {
    text += fmt::format(" {} of {} series, from the best to the worst forecast.", some.size(),
                        report::in_thousands(static_cast<std::int64_t>(all.size())));
  }
  page.blocks.emplace_back(report::Text{std::move(text)});
  page.blocks.emplace_back(std::move(figure));
  if (!next.rows.empty()) page.blocks.emplace_back(std::move(next));
}

}  // namespace rwa::workflows
