// tests/workflows/earlier_files_test.cc: files of earlier builds (tests/data/earlier) are resumed and
// used with bit-identical results.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/io_testing.h"
#include "io/safetensors.h"
#include "rwa/version.h"
#include "training/loop.h"
#include "training/run_folder.h"
#include "workflows/inspect.h"
#include "workflows/output.h"
#include "workflows/predict.h"
#include "workflows/stream_keeper.h"
#include "workflows/stream_testing.h"
#include "workflows/trained.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

class EarlierFiles : public ::testing::Test {
 protected:
  static fs::path of(const fs::path& name) { return fs::path(RWA_TEST_DATA) / "earlier" / name; }

  // A copy of its run, continued for as many steps again, where its data is.
  fs::path continued(const std::string& build) {
    fs::path run = folder_.path() / build;
    const fs::path before = fs::current_path();
    fs::current_path(of(build));
    fs::copy(of(build) / "run", run);
    training::Experiment experiment = training::read_run(run).experiment;
    EXPECT_TRUE(training::check(experiment, run));
    const std::int64_t done =
        std::exchange(experiment.training.steps, 2 * experiment.training.steps);
    std::vector<std::int64_t> steps;
    const auto outcome = training::run(
        experiment, run, {}, [&](const auto& progress) { steps.push_back(progress.step); });
    EXPECT_EQ(outcome, training::Outcome::kFinished);
    EXPECT_EQ(steps.front(), done);
    fs::current_path(before);
    return run;
  }

  static void expect_weights(const fs::path& run, const fs::path& expected) {
    const Model found = Model::load(run / training::kModelFile);
    const Model golden = Model::load(of(expected));
    EXPECT_TRUE(std::ranges::equal(found.weights(), golden.weights()));
  }

  void expect_predictions(const fs::path& model, const fs::path& data, const fs::path& expected) {
    const Trained trained = load_trained(of(model));
    const std::vector<fs::path> files = {of(data)};
    const fs::path file = folder_.path() / "predictions.csv";
    Output output(file);
    write_predictions(trained, open_samples(trained.encoding, files, false), {}, RowFormat::kCsv,
                      output);
    EXPECT_EQ(io::get(file), io::get(of(expected)));
  }

  void expect_stream(const fs::path& model, const std::string& build) {
    const Trained trained = load_trained(of(model));
    const fs::path state = folder_.path() / "state.safetensors";
    fs::copy_file(of(build) / "state.safetensors", state, fs::copy_options::overwrite_existing);
    Streams streams(trained, {.id = true});
    StreamKeeper keeper(streams, state);
    std::ifstream lines(of(build) / "lines.txt");
    std::string answers;
    for (std::string line; std::getline(lines, line);) answers += streams.answer(line);
    EXPECT_EQ(answers, io::get(of(build) / "answers.csv"));
    keeper.end();
    EXPECT_EQ(read_stream_state(state, streams.model()).streams, streams.all());
  }

  const io::TempFolder folder_;
};

// Without fused multiply-add the results have other bits (docs/model.md).
class EarlierResults : public EarlierFiles {
 protected:
  void SetUp() override {
    const std::string set(instruction_set());
    if (set == "baseline" || set == "sse4") GTEST_SKIP() << set << " gives other bits";
  }
};

// Its metrics have another sum in the last digit.
TEST_F(EarlierResults, TheFirstVersionsOfARun) {
  expect_weights(continued("d0cc2bc"), "d0cc2bc/model-20.safetensors");
}

TEST_F(EarlierResults, ARunOfTwoLayers) {
  const fs::path run = continued("b2b0555");
  EXPECT_EQ(io::get(run / training::kMetricsFile), io::get(of("b2b0555/metrics-20.jsonl")));
  expect_weights(run, "b2b0555/model-20.safetensors");
}

TEST_F(EarlierResults, ARunOnFilesWithAStemAndBestWeights) {
  const fs::path run = continued("0.2.0");
  EXPECT_EQ(io::get(run / training::kMetricsFile), io::get(of("0.2.0/metrics-60.jsonl")));
  expect_weights(run, "0.2.0/model-60.safetensors");
}

// A format with a new version needs a new folder.
TEST_F(EarlierFiles, TheNewestHaveTheVersionsWrittenToday) {
  const auto version_of = [](const fs::path& file) {
    return io::read_safetensors(file, io::Accept::kTexts).metadata.at("format_version");
  };
  const fs::path run = continued("0.2.0");
  for (const auto name : {training::kModelFile, training::kCheckpointFile}) {
    EXPECT_EQ(version_of(run / name), version_of(of("0.2.0/run") / name));
  }
  const auto version_of_run = [](const fs::path& folder) {
    return nlohmann::json::parse(io::get(folder / training::kRunFile)).at("format_version");
  };
  EXPECT_EQ(version_of_run(run), version_of_run(of("0.2.0/run")));
  const Trained trained = load_trained(run);
  const Streams streams(trained, {});
  write_stream_state(folder_.path() / "state", streams.model(), {}, {});
  EXPECT_EQ(version_of(folder_.path() / "state"), version_of(of("0.2.0/state.safetensors")));
}

TEST_F(EarlierFiles, AreValid) {
  for (const char* build : {"d0cc2bc", "b2b0555", "0.2.0"}) {
    const std::string found = verify(of(build) / "run");
    EXPECT_NE(found.find("run, finished"), std::string::npos) << found;
    EXPECT_NE(found.find("valid checkpoint"), std::string::npos) << found;
    EXPECT_NE(found.find("valid model"), std::string::npos) << found;
  }
}

TEST_F(EarlierResults, ModelsPredictTheSame) {
  expect_predictions("b2b0555/trained", "b2b0555/trained/data.csv",
                     "b2b0555/trained/predictions.csv");
  expect_predictions("0.2.0/run", "0.2.0/data.csv", "0.2.0/predictions.csv");
  expect_predictions("0.2.0/forecast", "0.2.0/series.csv", "0.2.0/forecasts.csv");
}

TEST_F(EarlierResults, StreamsGoOn) {
  expect_stream("0.2.0/run", "0.2.0");
  expect_stream("0.2.0/run", "0.2.0/header");
  expect_stream("0.2.0/kmers/model.safetensors", "0.2.0/kmers");
}

TEST_F(EarlierResults, AStateOfTheFirstVersionGoesOn) {
  expect_stream("de23b8e/model.safetensors", "de23b8e");
  expect_stream("de23b8e/kmers/model.safetensors", "de23b8e/kmers");
}

}  // namespace
}  // namespace rwa::workflows
