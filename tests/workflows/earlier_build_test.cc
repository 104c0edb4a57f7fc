// tests/workflows/earlier_build_test.cc: tests that files written by commit b2b0555
// (tests/data/b2b0555) are resumed and used with bit-identical results.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/version.h"
#include "training/loop.h"
#include "training/run_folder.h"
#include "workflows/output.h"
#include "workflows/predict.h"
#include "workflows/trained.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

const fs::path kEarlier = fs::path(RWA_TEST_DATA) / "b2b0555";

// Without fused multiply-add the results have other bits (docs/model.md).
class EarlierBuild : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string set(instruction_set());
    if (set == "baseline" || set == "sse4") GTEST_SKIP() << set << " gives other bits";
  }
};

// A run of ten steps, continued for another ten.
TEST_F(EarlierBuild, ARunGoesOnWithTheSameBits) {
  const io::TempFolder folder;
  fs::copy(kEarlier / "run", folder.path() / "run");
  training::Experiment experiment = training::read_run(folder.path() / "run").experiment;
  EXPECT_TRUE(training::check(experiment, folder.path() / "run"));
  experiment.training.steps = 20;
  std::vector<std::int64_t> steps;
  const auto outcome =
      training::run(experiment, folder.path() / "run", {},
                    [&](const training::Progress& progress) { steps.push_back(progress.step); });
  EXPECT_EQ(outcome, training::Outcome::kFinished);
  EXPECT_EQ(steps.front(), 10);
  EXPECT_EQ(io::get(folder.path() / "run" / training::kMetricsFile),
            io::get(kEarlier / "metrics-20.jsonl"));
  EXPECT_EQ(io::get(folder.path() / "run" / training::kModelFile),
            io::get(kEarlier / "model-20.safetensors"));
}

TEST_F(EarlierBuild, AModelOfFilesPredictsTheSame) {
  const io::TempFolder folder;
  const Trained trained = load_trained(kEarlier / "trained");
  const std::vector<fs::path> data = {kEarlier / "trained" / "data.csv"};
  const fs::path file = folder.path() / "predictions.csv";
  Output output(file);
  write_predictions(trained, open_samples(trained.encoding, data, false), {}, RowFormat::kCsv,
                    output);
  EXPECT_EQ(io::get(file), io::get(kEarlier / "trained" / "predictions.csv"));
}

}  // namespace
}  // namespace rwa::workflows
