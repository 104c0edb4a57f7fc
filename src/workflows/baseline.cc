#include "workflows/baseline.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/predict.h"

namespace rwa::workflows {
namespace {

using formats::Target;

// A network has a row of outputs per sequence, or per step.
FittedBaseline fit_constant(const datasets::Files& files) {
  const datasets::Encoding& encoding = files.encoding();
  if (encoding.schema.target == Target::kNone && !encoding.schema.symbols) {
    return {"last value", [](const formats::Sequence& encoded, std::vector<float>& outputs) {
              outputs = encoded.x;
            }};
  }
  const bool every_step = encoding.answers_every_step();
  return {encoding.shape().loss == Loss::kSquaredError ? "mean" : "majority class",
          [constant = files.constant_outputs(), every_step](const formats::Sequence& encoded,
                                                            std::vector<float>& outputs) {
            outputs.clear();
            for (int row = 0; row < (every_step ? encoded.steps : 1); ++row) {
              outputs.insert(outputs.end(), constant.begin(), constant.end());
            }
          }};
}

// A simple forecast, as the network would have to put it.
FittedBaseline simple_baseline(const datasets::Encoding& encoding, datasets::Simple kind) {
  return {std::string(to_string(kind)),
          [&encoding, kind](const formats::Sequence& window, std::vector<float>& outputs) {
            const datasets::Forecast& forecast = encoding.forecast;
            const std::size_t features = encoding.schema.features.size();
            formats::Sequence made = window;
            made.values.resize(forecast.numbers());
            const std::size_t targets = forecast.targets.size();
            for (std::size_t k = 0; k < targets; ++k) {
              const auto numbers = simple_forecast(forecast, features, window, k, kind);
              for (std::size_t h = 0; h < numbers.size(); ++h) {
                made.values[h * targets + k] = static_cast<float>(numbers[h]);
              }
            }
            outputs = targets_of(forecast, features, made);
          }};
}

std::vector<FittedBaseline> fit_forecasts(const datasets::Encoding& encoding) {
  using datasets::Simple;
  std::vector<FittedBaseline> all = {simple_baseline(encoding, Simple::kLast)};
  if (encoding.forecast.season > 1) all.push_back(simple_baseline(encoding, Simple::kSeasonal));
  all.push_back({"weighted simple forecasts", [outputs = encoding.shape().outputs](
                                                  const formats::Sequence&, std::vector<float>& y) {
                   y.assign(static_cast<std::size_t>(outputs), 0.0F);
                 }});
  return all;
}

std::optional<FittedBaseline> fit_informed(const datasets::Files& files, std::int64_t scored,
                                           double work) {
  const datasets::Encoding& encoding = files.encoding();
  if (encoding.answers_every_step()) return std::nullopt;
  const bool linear = encoding.schema.symbols || encoding.schema.target == Target::kNumbers;
  return linear ? fit_linear(files, scored, work) : fit_nearest(files, scored, work);
}

std::vector<FittedBaseline> fit_all(const datasets::Files& files, std::int64_t scored,
                                    double work) {
  if (files.encoding().forecast.is_needed()) return fit_forecasts(files.encoding());
  std::vector<FittedBaseline> fitted = {fit_constant(files)};
  if (auto informed = fit_informed(files, scored, work)) fitted.push_back(std::move(*informed));
  return fitted;
}

}  // namespace

std::vector<Baseline> score_baselines(const datasets::Files& files, datasets::Split split,
                                      double work) {
  return score_baselines(files, samples_of(files, split), files.size(split), work);
}

std::vector<Baseline> score_baselines(const datasets::Files& files, const SampleSource& next,
                                      std::int64_t count, double work) {
  std::vector<FittedBaseline> fitted = fit_all(files, count, work);
  std::deque<ScoreAccumulator> sums;  // a deque, since they cannot be moved
  for (std::size_t i = 0; i < fitted.size(); ++i) sums.emplace_back(files.encoding());
  std::vector<float> outputs;
  for (Sample sample; next(sample);) {
    const formats::Sequence scaled = datasets::scaled(files.encoding(), sample.sequence);
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      fitted[i].predict(scaled, outputs);
      sums[i].add(sample, outputs);
    }
  }
  std::vector<Baseline> scored;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    scored.push_back({std::move(fitted[i].name), sums[i].finish()});
  }
  return scored;
}

formats::Sequence training_sequence(const datasets::Files& files, std::int64_t number) {
  formats::Sequence sequence;
  files.sample(datasets::Split::kTrain, number, sequence);
  return datasets::scaled(files.encoding(), std::move(sequence));
}

std::vector<std::int64_t> evenly_spaced(std::int64_t samples, double most) {
  constexpr std::int64_t kFewest = 100;
  const auto count = static_cast<std::int64_t>(std::min(most, static_cast<double>(samples)));
  std::vector<std::int64_t> numbers;
  if (count < std::min(samples, kFewest)) return numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(i * samples / count);
  return numbers;
}

std::string name_with_count(const std::string& name, std::int64_t used, std::int64_t samples) {
  if (used == samples) return name;
  return fmt::format("{} on {}", name, report::counted(used, "training sequence"));
}

}  // namespace rwa::workflows
