// tests/workflows/forecasts_test.cc: forecasts of generated series, from the file to rows with
// dates: better than simple forecasts where there is something to learn, with intervals that hold.
#include "workflows/forecasts.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "workflows/predict.h"
#include "workflows/refit.h"
#include "workflows/untrained_models.h"
#include "workflows/verdict.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

class Forecasts : public ::testing::Test {
 protected:
  // Months from 2000 on. The peak of the last summer decides how deep the next winter is, whatever
  // the winter before was: neither the last value, nor a trend, nor last year's value know that.
  static double month(int t, std::uint32_t number) {
    const Random random(9, Purpose::kTestSamples, number);
    const auto draw = [&](int k) { return random.normal(static_cast<std::uint64_t>(k)); };
    const int year = t / 12;
    const double size = 10 + 6 * draw(year);
    const double noise = 0.5 * draw(1000 + t);
    return 100 + size * std::sin(2 * std::numbers::pi * t / 12) + noise;
  }
  static std::string date(int t) { return fmt::format("{}-{:02}", 2000 + t / 12, t % 12 + 1); }

  fs::path put(const std::string& name, const std::string& text) {
    io::put(folder_.path() / name, text);
    return folder_.path() / name;
  }
  fs::path months(int count) {
    std::string text = "date,sales\n";
    for (int t = 0; t < count; ++t) text += fmt::format("{},{:.4f}\n", date(t), month(t, 1));
    return put("months.csv", text);
  }

  static Plan planned(const fs::path& file, const std::string& more = "") {
    const auto settings = training::Overrides::parse(
        fmt::format("task.train = ['{}']\n{}", file.string(), more), "test");
    return plan({.settings = settings}, datasets::Reading{});
  }
  Trained trained(const Plan& plan) {
    TrainResult folds = train(plan, {}, nobody_);
    const auto made = refit(plan, folds, {}, nobody_);
    Model model = made->run.store->model();
    datasets::Encoding encoding = encoding_of(model, "test");
    return {std::move(model), std::move(encoding)};
  }
  std::string predicted(const Trained& trained, const fs::path& file, RowFormat format) {
    Output output(folder_.path() / "out");
    write_predictions(trained, open_samples(trained.encoding, {&file, 1}, false), {}, format,
                      output);
    return io::get(folder_.path() / "out");
  }

  io::TempFolder folder_;
  training::QueueObserver nobody_;
};

TEST_F(Forecasts, AreBetterThanAllSimpleOnesWhereThereIsMoreToLearn) {
  const Plan plan = planned(months(360), "task.horizon = 6");
  const auto& task = training::files_task(plan.runs.front().experiment);
  EXPECT_EQ(task.season, 12);
  EXPECT_EQ(task.folds, 5);
  const TrainResult result = train(plan, {}, nobody_);
  ASSERT_EQ(result.runs.size(), 5U);
  std::vector<Comparison> each;
  double coverage = 0, width = 0, rmse = 0;
  for (const TrainedRun& run : result.runs) {
    each.push_back(compare(*run.scores, run.baselines));
    coverage += *run.scores->coverage / 5;
    width += *run.scores->forecasts.front().width;
    rmse += run.scores->forecasts.front().rmse;
  }
  const Comparison found = mean_of(each);
  ASSERT_EQ(found.baselines.size(), 3U);
  EXPECT_EQ(found.baselines[0].name, "last value");
  EXPECT_EQ(found.baselines[1].name, "seasonal naive");
  for (const auto& [name, score] : found.baselines) {
    EXPECT_LT(found.model.value, 0.8 * score.value) << name;
  }
  EXPECT_GE(coverage, 0.6);
  EXPECT_LT(width, 10 * rmse) << "of normal errors it would be 2.6";
}

TEST_F(Forecasts, ALengthThatWasFoundIsFoundAgain) {
  const auto settings = training::Overrides::parse(
      fmt::format("task.train = ['{}']\ntask.horizon = 6", months(360).string()), "test");
  const TrainRequest request{.settings = settings, .out = folder_.path() / "run"};
  const Plan first = plan(request, datasets::Reading{});
  const auto& experiment = first.runs.front().experiment;
  EXPECT_GT(training::files_task(experiment).interval_scale, 0);
  EXPECT_EQ(experiment.evaluation.patience, 0);
  (void)train(first, {}, nobody_);
  const Plan again = plan(request, datasets::Reading{});
  for (std::size_t i = 0; i < first.runs.size(); ++i) {
    EXPECT_EQ(again.runs[i].experiment, first.runs[i].experiment);
  }
  EXPECT_EQ(train(again, {}, nobody_).runs.size(), 5U) << "already finished";
}

TEST_F(Forecasts, GoOnWithTheDatesOfTheSeries) {
  const fs::path file = months(96);
  const Trained model = trained(planned(file, "training.steps = 20"));
  const auto rows = lines_of(predicted(model, file, RowFormat::kCsv));
  ASSERT_EQ(rows.size(), 13U);
  EXPECT_EQ(rows[0], "id,date,sales,sales_low,sales_high");
  EXPECT_TRUE(rows[1].starts_with("1,2008-01,")) << rows[1];
  EXPECT_TRUE(rows[12].starts_with("1,2008-12,")) << rows[12];
  const auto objects = lines_of(predicted(model, file, RowFormat::kJson));
  EXPECT_TRUE(objects[0].starts_with(R"({"id":"1","date":"2008-01","prediction":{"sales":)"))
      << objects[0];
}

TEST_F(Forecasts, OfSeveralSeriesAndFeatures) {
  std::string text = "id,day,a,b\n";
  for (int s = 0; s < 4; ++s) {
    for (int t = 0; t < 60; ++t) {
      text += fmt::format("s{},2024-{:02}-{:02},{},{}\n", s, 1 + t / 28, 1 + t % 28,
                          month(t, static_cast<std::uint32_t>(s)), 1000 * s + t);
    }
  }
  const fs::path file = put("days.csv", text);
  const Trained model =
      trained(planned(file, "task.horizon = 3\ntask.target = ['b']\ntraining.steps = 20"));
  EXPECT_EQ(model.encoding.schema.features, (std::vector<std::string>{"a", "b"}));
  const auto rows = lines_of(predicted(model, file, RowFormat::kCsv));
  ASSERT_EQ(rows.size(), 13U);
  EXPECT_EQ(rows[0], "id,day,b,b_low,b_high");
  EXPECT_TRUE(rows[4].starts_with("s1,2024-03-05,")) << rows[4];
}

// Five origins hold out the last 30 steps: neither the weights of the earliest model, nor how long
// it trained, may depend on them.
TEST_F(Forecasts, DoNotDependOnWhatIsHeldOut) {
  const fs::path file = months(360);
  std::string text = io::get(file);
  const auto earliest = [&](const fs::path& data) {
    const Plan plan = planned(data, "task.season = 12\ntask.horizon = 6");
    EXPECT_GT(training::files_task(plan.runs.back().experiment).interval_scale, 0);
    Plan last = plan;
    last.runs = {plan.runs.back()};
    return train(last, {}, nobody_).runs.front().store->model();
  };
  const Model before = earliest(file);
  for (int t = 330; t < 360; ++t) {
    const std::size_t at = text.find(date(t)) + date(t).size() + 1;
    text.replace(at, text.find('\n', at) - at, "-500");
  }
  const Model after = earliest(put("changed.csv", text));
  EXPECT_TRUE(std::ranges::equal(before.weights(), after.weights()));
}

// The phase of the season comes from the dates, not from the first row.
TEST_F(Forecasts, DoNotDependOnWhereTheirFileBegins) {
  const fs::path file = months(120);
  const Trained model = trained(planned(file, "task.season = 12\ntraining.steps = 50"));
  const std::string text = io::get(file);
  const auto forecast = [&](int first) {
    const fs::path tail = put("tail.csv", "date,sales\n" + text.substr(text.find(date(first))));
    std::vector<double> numbers;
    for (const std::string& row : lines_of(predicted(model, tail, RowFormat::kCsv))) {
      if (row.starts_with("1,")) numbers.push_back(std::stod(row.substr(row.find(',', 2) + 1)));
    }
    return numbers;
  };
  const auto aligned = forecast(60), shifted = forecast(67);
  ASSERT_EQ(aligned.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(shifted.at(i), aligned[i], 0.5) << i;
}

TEST_F(Forecasts, TestFilesGoOnWhereTheTrainingFilesEnd) {
  const std::string text = io::get(months(84));
  const auto rows = [&](int from, int to) {
    const std::size_t begin = text.find(date(from));
    return text.substr(begin, to < 84 ? text.find(date(to)) - begin : std::string::npos);
  };
  const fs::path old = put("old.csv", "date,sales\n" + rows(0, 72));
  const auto scores = [&](const std::string& name, const std::string& data) {
    const Plan plan = planned(
        old,
        fmt::format("task.test = ['{}']\ntask.split = 0.0\ntask.season = 12\ntraining.steps = 5",
                    put(name, "date,sales\n" + data).string()));
    return *train(plan, {}, nobody_).runs.front().scores;
  };
  const Scores whole = scores("whole.csv", rows(0, 84)), fresh = scores("new.csv", rows(72, 84));
  EXPECT_EQ(whole.sequences, 1) << "what was trained on is not scored";
  EXPECT_EQ(*fresh.mase, *whole.mase);
  EXPECT_EQ(fresh.hardest.front().from, 73);
  EXPECT_THROW(scores("short.csv", rows(72, 80)), InputError);
}

TEST_F(Forecasts, FillMissingNumbersIfToldTo) {
  const fs::path file = months(60);
  std::string text = io::get(file);
  const std::size_t at = text.find("2002-03,") + 8;
  text.replace(at, text.find('\n', at) - at, "");
  const fs::path gap = put("gap.csv", text);
  EXPECT_THROW(planned(gap), InputError);
  const Trained model = trained(planned(gap, "task.missing = 'previous'\ntraining.steps = 20"));
  EXPECT_EQ(lines_of(predicted(model, gap, RowFormat::kCsv)).size(),
            static_cast<std::size_t>(model.encoding.forecast.horizon) + 1);
}

// Nobody knows what would have followed: a filled-in tail, where the last value is always right,
// must not make it look good.
TEST_F(Forecasts, WhatIsFilledInIsNotScored) {
  std::string text = "t,v\n";
  for (int t = 0; t < 90; ++t) {
    text +=
        fmt::format("{},", t) + (t % 3 == 2 && t > 40 ? "" : fmt::format("{}", t * t % 17)) + "\n";
  }
  const Plan plan = planned(put("gaps.csv", text),
                            "task.missing = 'previous'\ntask.horizon = 3\ntask.season = 1\n"
                            "task.folds = 3\ntraining.steps = 5");
  const TrainResult result = train(plan, {}, nobody_);
  double sum = 0;
  for (const TrainedRun& run : result.runs) {
    const Scores& last = run.baselines.front().scores;
    EXPECT_EQ(last.steps_ahead.at(2).mase, 0) << "there is nothing to compare";
    sum += last.forecasts.front().mae / 3;
  }
  // Origins 81, 84 and 87: two known numbers each, against the number two steps before the origin.
  double expected = 0;
  for (const int origin : {81, 84, 87}) {
    const int last = (origin - 2) * (origin - 2) % 17;
    for (int t = origin; t < origin + 2; ++t) expected += std::abs(t * t % 17 - last) / 6.0;
  }
  EXPECT_NEAR(sum, expected, 1e-5);
}

TEST_F(Forecasts, NeedSeriesThatAreLongEnough) {
  const fs::path file = months(20);
  EXPECT_THROW(planned(file, "task.horizon = 19"), InputError);
  EXPECT_THROW(planned(file, "task.target = ['profit']"), ConfigError);
  EXPECT_THROW(planned(file, "task.interval = 95.0"), ConfigError);
  EXPECT_THROW(planned(file, "task.context = 3\ntask.horizon = 2"), ConfigError);
  EXPECT_THROW(planned(file, "task.season = 6\ntask.window = 4"), ConfigError);
  EXPECT_THROW(planned(file, "task.horizon = 1000000000"), ConfigError);
  EXPECT_NO_THROW(planned(file));
  EXPECT_NO_THROW(planned(put("short.csv", "t,v\n1,1\n2,2\n3,4\n4,3\n5,5\n")));
}

TEST_F(Forecasts, AreAnotherTaskThanTheNextStep) {
  const Plan plan = planned(months(60), "task.task = 'next-step'\ntask.split = 0.0");
  EXPECT_FALSE(plan.files->encoding().forecast.is_needed());
  EXPECT_EQ(plan.files->shape().readout, Readout::kEvery);
  EXPECT_THROW(planned(months(60), "task.task = 'next-step'\ntask.horizon = 3"), ConfigError);
}

}  // namespace
}  // namespace rwa::workflows
