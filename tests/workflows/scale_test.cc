// tests/workflows/scale_test.cc: sequences that are scaled each by itself, from files to
// predictions and explanations.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/errors.h"
#include "support/random_data.h"
#include "training/run_folder.h"
#include "workflows/attribution.h"
#include "workflows/encoded_stream.h"
#include "workflows/explain.h"
#include "workflows/explain_report.h"
#include "workflows/findings.h"
#include "workflows/inspect.h"
#include "workflows/plan.h"
#include "workflows/predict.h"
#include "workflows/train.h"
#include "workflows/trained.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

using training::Overrides;

// Sixty noisy slopes, up or down; a quarter of them is 10⁴ times larger than the others.
std::string slopes() {
  constexpr int kSequences = 60, kSteps = 24;
  const std::vector<float> noise = RandomData(1).normal<float>(kSequences * kSteps);
  std::string text = "id,x,label\n";
  for (int i = 0; i < kSequences; ++i) {
    const double size = i / 2 % 4 == 0 ? 1e4 : 1;
    for (int t = 0; t < kSteps; ++t) {
      const double rise = (2.0 * t / (kSteps - 1) - 1) * (i % 2 == 0 ? 1 : -1);
      const float by_chance = noise[static_cast<std::size_t>(i * kSteps + t)];
      text += fmt::format("{},{:.6g},{}\n", i, size * (rise + 0.5 * by_chance),
                          i % 2 == 0 ? "up" : "down");
    }
  }
  return text;
}

class ScaledSlopes : public ::testing::Test {
 protected:
  ScaledSlopes() { io::put(data(), slopes()); }

  [[nodiscard]] std::filesystem::path data() const { return folder_.path() / "slopes.csv"; }
  [[nodiscard]] TrainRequest request(const std::string& toml = "") const {
    auto settings = Overrides::parse("task.train = ['" + data().string() +
                                         "']\nnetwork.units = 16\ntraining.epochs = 60\n"
                                         "task.split = 0.33",
                                     "test");
    settings.add(Overrides::parse(toml, "test"));
    return {.settings = settings};
  }
  [[nodiscard]] static Plan made(const TrainRequest& request) {
    return plan(request, datasets::Reading{});
  }
  double accuracy(const std::string& toml) {
    const auto result =
        train(made(request("evaluation.patience = 0\ntraining.batch = 10\n" + toml)), {}, nobody_);
    return result.runs.front().scores->accuracy.value();
  }
  // Trains for a few steps.
  Trained trained(const std::string& toml = "") {
    const auto result =
        train(made(request("training.steps = 3\nnetwork.units = 4\n" + toml)), {}, nobody_);
    Model model = result.runs.front().store->model();
    auto encoding = encoding_of(model, "the model");
    return {std::move(model), std::move(encoding)};
  }
  [[nodiscard]] std::string predictions(const Trained& trained, const std::string& table) const {
    const auto file = folder_.path() / "some.csv", out = folder_.path() / "predictions.csv";
    io::put(file, table);
    Output output(out);
    write_predictions(trained, open_samples(trained.encoding, std::vector{file}, false), {},
                      RowFormat::kCsv, output);
    return io::get(out);
  }

  io::TempFolder folder_;
  training::QueueObserver nobody_;
};

TEST_F(ScaledSlopes, AreLearnedWhateverTheirSize) {
  EXPECT_GE(accuracy(""), 0.9);
  EXPECT_LE(accuracy("task.scale = 'data'"), 0.75);
}

TEST_F(ScaledSlopes, ThePlanRecordsAndTellsTheChoice) {
  const auto scale_of = [](const Plan& plan) {
    return std::get<datasets::FilesTask>(plan.runs.front().experiment.task).scale;
  };
  const Plan chosen = made(request());
  EXPECT_EQ(scale_of(chosen), "sequence");
  const std::string& note = chosen.notes.back();
  EXPECT_TRUE(
      note.starts_with("each sequence is scaled by itself: deviations differ by a factor of "))
      << note;
  EXPECT_TRUE(note.ends_with(" between sequences; --scale data turns it off"));
  EXPECT_EQ(scale_of(made(request("task.scale = 'Sequence'"))), "sequence");
  for (const char* given : {"task.scale = 'Sequence'", "task.scale = 'data'"}) {
    EXPECT_EQ(made(request(given)).notes.size(), chosen.notes.size() - 1);
  }
  EXPECT_EQ(scale_of(made(request("task.scale = 'none'"))), "none");
  const auto summary = summarize_data({.train = {data().string()}});
  EXPECT_NE(to_text(summary).find(note + "\n"), std::string::npos);
}

TEST_F(ScaledSlopes, AResumedRunHasTheBitsOfOneInOneGo) {
  TrainRequest first = request("training.steps = 6"), whole = request("training.steps = 12");
  first.out = folder_.path() / "resumed";
  whole.out = folder_.path() / "whole";
  const std::string constant = "training.schedule = 'constant'";
  for (TrainRequest* each : {&first, &whole}) each->settings.add(Overrides::parse(constant, ""));
  (void)train(made(first), {}, nobody_);
  first.settings = whole.settings;
  const auto resumed = train(made(first), {}, nobody_).runs.front().store->model();
  const auto in_one_go = train(made(whole), {}, nobody_).runs.front().store->model();
  EXPECT_TRUE(std::ranges::equal(resumed.weights(), in_one_go.weights()));
  EXPECT_EQ(resumed.notes(), in_one_go.notes());
  const std::string config = io::get(first.out / training::kConfigFile);
  EXPECT_NE(config.find("scale = \"sequence\""), std::string::npos);
}

// Their configuration has no scale.
TEST_F(ScaledSlopes, RunsOfEarlierVersionsHaveTheScaleOfTheData) {
  TrainRequest run = request("training.steps = 3\ntask.scale = 'data'");
  run.out = folder_.path() / "run";
  (void)train(made(run), {}, nobody_);
  std::string config = io::get(run.out / training::kConfigFile);
  const std::string line = "scale = \"data\"\n";
  config.erase(config.find(line), line.size());
  io::put(run.out / training::kConfigFile, config);
  EXPECT_NO_THROW((void)train(made(run), {}, nobody_));
  run.settings = request("training.steps = 3").settings;
  io::expect_error<ConfigError>([&] { (void)train(made(run), {}, nobody_); },
                                {"another experiment", "scale"});
}

// A constant sequence has a prediction too.
TEST_F(ScaledSlopes, ArePredictedFromFiles) {
  const Trained model = trained();
  const std::string text = predictions(model, "id,x\na,1\na,2\na,3\nb,5\nb,5\nc,7\n");
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

// A window is predicted as if it were a sequence.
TEST_F(ScaledSlopes, WindowsArePredictedByThemselves) {
  const Trained model = trained("task.window = 3");
  const std::string cut = predictions(model, "id,x\na,1\na,2\na,4\na,70\na,20\na,30\n");
  const std::string first = predictions(model, "id,x\na,1\na,2\na,4\n");
  const std::string second = predictions(model, "id,x\na,70\na,20\na,30\n");
  // The header and a row "a,FROM,…" of each window.
  const auto rest = [](const std::string& rows) { return rows.substr(rows.find("\na,") + 5); };
  EXPECT_EQ(cut, first + "a,4," + rest(second));
}

TEST_F(ScaledSlopes, CannotBeStreamed) {
  const Trained model = trained();
  io::expect_error<ConfigError>([&] { EncodedStream stream(model); },
                                {"cannot be streamed", "--scale data"});
}

// Means and deviations count for their feature, so that all parts are those of the features.
TEST_F(ScaledSlopes, AttributionsAreThoseOfTheFeatures) {
  datasets::Encoding encoding = numbers_encoding(Target::kNumbers);
  encoding.scale = datasets::Scale::kSequence;
  encoding.own = {.least = {0.1, 0.1},
                  .means = {.mean = {0, 0}, .scale = {1, 1}},
                  .deviations = {.mean = {0, 0}, .scale = {1, 1}}};
  encoding.widening = {.context = 2, .positions = 0, .span = 0};
  const Trained model = make_trained(encoding);
  formats::Sequence sequence;
  sequence.steps = 9;
  sequence.x = RandomData(5).normal<float>(18);
  const auto attributor = make_attributor(model, Method::kGradients, {});
  const Attribution found = attributor->attribute(sequence, 0);
  EXPECT_EQ(found.width, 2U);
  ASSERT_EQ(found.parts.size(), 18U);
  const auto sum = [](const std::vector<float>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  EXPECT_NEAR(sum(found.parts), sum(found.steps), 1e-3);
  EXPECT_NEAR(found.gap(), 0, 0.05 * std::abs(found.value - found.baseline));
  // A feature that does not vary still has its mean.
  for (std::size_t i = 1; i < sequence.x.size(); i += 2) sequence.x[i] = 3;
  EXPECT_NE(attributor->attribute(sequence, 0).parts[1], 0);
}

TEST_F(ScaledSlopes, AreExplainedInTheirOwnNumbers) {
  const Trained model = trained("task.missing = 'mean'");
  const auto file = folder_.path() / "some.csv";
  io::put(file, "id,x,label\na,100,up\na,,up\na,300,up\n");
  int count = 0;
  explain(model, std::vector{file}, {.method = Method::kGradients}, [&](const Explanation& made) {
    ++count;
    const std::vector<double> numbers = ExplanationText(model).numbers(made, 0);
    EXPECT_EQ(numbers, (std::vector<double>{100, 200, 300}));
    EXPECT_EQ(made.attribution.width, 1U);
  });
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace rwa::workflows
