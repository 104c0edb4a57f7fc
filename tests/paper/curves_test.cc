// tests/paper/curves_test.cc: the authors' logs and curves as files, well-formed and malformed.
#include <set>
#include <string>

#include "io/io_testing.h"
#include "paper/curves.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

using io::expect_error;
using io::put;

class Curves : public ::testing::Test {
 protected:
  void expect_refusal(const std::string& text, std::initializer_list<std::string_view> parts) {
    put(file_, text);
    expect_error<InputError>([&] { read_curve(file_); }, parts);
  }

  io::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "grammar.rwa.csv";
};

TEST_F(Curves, PercentBecomesAFraction) {
  put(file_, "step,bits,accuracy\n0,0.996004,46.0\n100,6.82768e-07,100.0\n200,1,97.0\n");
  const TestCurve curve = read_curve(file_);
  EXPECT_EQ(curve.unit, "bits");
  EXPECT_EQ(curve.points,
            (std::vector<Point>{{0, 0.996004, 0.46}, {100, 6.82768e-07, 1.0}, {200, 1, 0.97}}));
}

TEST_F(Curves, AccuraciesMayBeMissingAndSoMayTheLastNewline) {
  put(file_, "step,mse,accuracy\n0,1.0983,\n100,0.161825,");
  const TestCurve curve = read_curve(file_);
  EXPECT_EQ(curve.unit, "mse");
  EXPECT_EQ(curve.points, (std::vector<Point>{{0, 1.0983, {}}, {100, 0.161825, {}}}));
}

TEST_F(Curves, WithoutRowsIsEmpty) {
  put(file_, "step,bits,accuracy\n");
  EXPECT_TRUE(read_curve(file_).points.empty());
}

TEST_F(Curves, NamesThePlaceOfAMistake) {
  const std::string good = "step,bits,accuracy\n0,1,50\n";
  const std::string name = file_.string();
  expect_refusal("", {name + ":1:1", "\"\"", "step,bits,accuracy"});
  expect_refusal("step,nats,accuracy\n", {name + ":1:1", "step,nats,accuracy"});
  expect_refusal("step,bits,accuracy\r\n0,1,50\r\n", {name + ":1:1", "\\r"});
  expect_refusal(good + "\n", {name + ":3:1", "3 comma-separated fields"});
  expect_refusal(good + "100,0.5", {name + ":3:1", "3 comma-separated fields"});
  expect_refusal(good + "100,0.5,50,1\n", {name + ":3:1", "3 comma-separated fields"});
  expect_refusal(good + "x,0.5,50\n", {name + ":3:1", "\"x\"", "step"});
  expect_refusal(good + "-100,0.5,50\n", {name + ":3:1", "\"-100\""});
  expect_refusal(good + "99999999999999999999,0.5,50\n", {name + ":3:1"});
  expect_refusal(good + "0,0.5,50\n", {name + ":3:1", "a step after 0"});
  expect_refusal(good + "100,,50\n", {name + ":3:5", "\"\"", "a loss"});
  expect_refusal(good + "100,0.5x,50\n", {name + ":3:5", "\"0.5x\""});
  expect_refusal(good + "100,-1,50\n", {name + ":3:5", "\"-1\""});
  expect_refusal(good + "100,nan,50\n", {name + ":3:5", "\"nan\""});
  expect_refusal(good + "100,inf,50\n", {name + ":3:5", "\"inf\""});
  expect_refusal(good + "100,1e400,50\n", {name + ":3:5", "\"1e400\""});
  expect_refusal(good + "100,0.5,101\n", {name + ":3:9", "101", "0 to 100"});
  expect_refusal(good + "100,0.5,half\n", {name + ":3:9", "\"half\"", "accuracy"});
}

TEST_F(Curves, AreFoundByExperimentAndModel) {
  put(file_, "step,bits,accuracy\n0,1,50\n");
  EXPECT_TRUE(find_curve(folder_.path(), "grammar", "rwa", "bits"));
  EXPECT_FALSE(find_curve(folder_.path(), "grammar", "lstm", "bits"));
  EXPECT_FALSE(find_curve("", "grammar", "rwa", "bits"));
  expect_error<InputError>([&] { find_curve(folder_.path(), "grammar", "rwa", "mse"); },
                           {file_.string() + ":1:6", "bits", "mse"});
}

TEST_F(Curves, OfARunAreItsTestScores) {
  training::Record run;
  run.metrics = {{0, "test", 1, "bits", 0.5},
                 {100, "train", 2, "bits", std::nullopt},
                 {100, "test", 0.5, "bits", 0.75},
                 {100, "final", 3, "bits", 0.8}};
  const TestCurve curve = curve_of(run);
  EXPECT_EQ(curve.unit, "bits");
  EXPECT_EQ(curve.points, (std::vector<Point>{{0, 1, 0.5}, {100, 0.5, 0.75}}));
}

TEST(AuthorsLogs, TheTestLinesBecomeACurve) {
  EXPECT_EQ(to_curve("Iteration: 0 Dataset: train Cost: 1.0020663743 Accuracy: 48.0\n"
                     "Iteration: 0 Dataset: test Cost: 0.996004157838 Accuracy: 46.0\n"
                     "Iteration: 1 Dataset: train Cost: 0.999300979263 Accuracy: 58.0\n"
                     "Iteration: 100 Dataset: test Cost: 6.827681234e-07 Accuracy: 100.0\n",
                     "bits", "log"),
            "step,bits,accuracy\n0,0.996004,46.0\n100,6.82768e-07,100.0\n");
}

TEST(AuthorsLogs, WithoutAccuracy) {
  EXPECT_EQ(to_curve("Iteration: 0 Dataset: test Cost: 1.0983\n"
                     "Iteration: 0 Dataset: train Cost: 1.2\n"
                     "Iteration: 100 Dataset: test Cost: 0.1600004",
                     "mse", "log"),
            "step,mse,accuracy\n0,1.0983,\n100,0.16,\n");
}

TEST(AuthorsLogs, ALineThatIsNotUnderstoodIsNamed) {
  for (const std::string line :
       {"", "Warning", "Iteration: x Dataset: test Cost: 1", "Iteration: 1 Dataset: test Cost: ",
        "Iteration: 1 Dataset: test Cost: 1x", "Iteration: 1 Dataset: other Cost: 1",
        "Iteration: 1 Dataset: test", "Iteration: 1 Dataset: test Cost: 1 Accuracy: ",
        "Iteration: 1 Dataset: test Cost: 1 Accuracy: 1,2",
        "Iteration: 1 Dataset: test Cost: 1 Accuracy: 50.0 more",
        "Iteration: 1 Dataset: test Cost: 1 Recall: 50.0", "Iteration: 1 Dataset: train Cost: 1\r",
        "Iteration: 1  Dataset: train Cost: 1"}) {
    SCOPED_TRACE(line);
    io::expect_error<InputError>(
        [&] {
          to_curve("Iteration: 0 Dataset: test Cost: 1.0983\n" + line + "\n", "mse", "a/train.out");
        },
        {"a/train.out:2: found \"", "expected \"Iteration: 100 Dataset: test Cost: 0.5\""});
  }
}

TEST(AuthorsLogs, TwelveOfThem) {
  std::set<std::string_view> curves;
  std::set<std::string_view> paths;
  std::set<std::string_view> sums;
  for (const AuthorsLog& log : authors_logs()) {
    curves.insert(log.curve);
    paths.insert(log.path);
    sums.insert(log.sha256);
    EXPECT_EQ(log.sha256.size(), 64) << log.curve;
    EXPECT_EQ(log.unit, log.curve.starts_with("adding") ? "mse" : "bits") << log.curve;
    const bool is_rwa = log.curve.ends_with(".rwa");
    EXPECT_TRUE(log.path.ends_with(is_rwa ? "/rwa_model/train.out" : "/lstm_model/train.out"))
        << log.curve;
  }
  EXPECT_EQ(curves.size(), 12);
  EXPECT_EQ(paths.size(), 12);
  EXPECT_EQ(sums.size(), 12);
}

}  // namespace
}  // namespace rwa::paper
