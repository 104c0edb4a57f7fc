// tests/datasets/files_read_test.cc: data sets from files on disk, from the file to the batch.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/datasets_testing.h"
#include "datasets/files.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "tasks/task.h"

namespace rwa::datasets {
namespace {
using io::expect_error;
using Texts = std::vector<std::string>;

class RealFiles : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    io::put(folder_.path() / name, text);
    return (folder_.path() / name).string();
  }
  std::unique_ptr<Files> open(const FilesTask& task) { return open_files(task, 1, folder_.path()); }

  io::TempFolder folder_;
};

// A table of `series` series with sensors a and b, three steps each, of the classes cold and hot.
std::string long_table(int series) {
  std::string text = "series,time,a,b,kind\n";
  for (int i = 0; i < series; ++i) {
    for (int t = 0; t < 3; ++t) {
      text += "s" + std::to_string(i) + "," + std::to_string(t) + "," + std::to_string(i + t) +
              "," + std::to_string(10 * i) + "," + (i % 2 == 0 ? "hot" : "cold") + "\n";
    }
  }
  return text;
}

TEST_F(RealFiles, ALongTable) {
  const FilesTask task{.train = {put("t.csv", long_table(20))},
                       .test = {put("test.csv", long_table(4))},
                       .target = {"kind"},
                       .id = "series",
                       .time = "time"};
  const auto files = open(task);
  EXPECT_EQ(files->encoding().schema.features, (Texts{"a", "b"}));
  EXPECT_EQ(files->encoding().labels, (Texts{"cold", "hot"}));
  EXPECT_EQ(files->size(Split::kTrain), 16);
  EXPECT_EQ(files->size(Split::kValid), 4);
  EXPECT_EQ(files->size(Split::kTest), 4);
  EXPECT_EQ(files->shape().inputs, 2);
  const Batch batch = fill_first(*files, Split::kTest, 4);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{3, 3, 3, 3}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{1, 0, 1, 0}));
  const Normal& normal = files->encoding().features;
  EXPECT_NEAR(input(batch, *files, 2, 3, 0) * normal.scale[0] + normal.mean[0], 5, 1e-5);
  EXPECT_NEAR(input(batch, *files, 2, 3, 1) * normal.scale[1] + normal.mean[1], 30, 1e-4);
}

TEST_F(RealFiles, ANumberThatIsMissing) {
  std::string text = long_table(20);
  text.replace(text.find("s7,1,8,"), 7, "s7,1,,");
  FilesTask task{.train = {put("t.csv", text)}, .target = {"kind"}, .id = "series", .time = "time"};
  expect_error<InputError>(
      [&] { open(task); },
      {"t.csv:24:6: found no number for \"a\" at step 2",
       "expected one: fill it in, or train with --missing previous or --missing mean"});
  task.missing = "previous";
  EXPECT_EQ(open(task)->statistics().missing, (std::vector<std::int64_t>{1, 0}));
}

TEST_F(RealFiles, LettersThatAreForecast) {
  const auto files =
      open({.train = {put("x.fa", ">one\nACGT\n>two\nGGCA\n")}, .task = "forecast", .split = 0});
  EXPECT_EQ(files->encoding().alphabet, (Texts{"A", "C", "G", "T", "<unknown>"}));
  const Batch batch = fill_first(*files, Split::kTrain, 2);
  EXPECT_EQ(batch.symbols, (std::vector<std::int32_t>{0, 2, 1, 2, 2, 1}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{1, 2, 2, 1, 3, 0}));
}

TEST_F(RealFiles, ATestFileOfAnotherAlphabetIsRead) {
  const auto files = open({.train = {put("x.txt", "__label__p abba\n__label__q baab\n")},
                           .test = {put("y.txt", "__label__q abcd\n")},
                           .split = 0});
  EXPECT_EQ(files->encoding().alphabet, (Texts{"a", "b", "<unknown>"}));
  EXPECT_EQ(fill_first(*files, Split::kTest, 1).symbols, (std::vector<std::int32_t>{0, 1, 2, 2}));
  EXPECT_EQ(files->encoding().labels, (Texts{"p", "q"}));
  EXPECT_EQ(fill_first(*files, Split::kTest, 1).classes, std::vector<std::int32_t>{1});
}

TEST_F(RealFiles, LabelsThatMayBeMistypedAreNamed) {
  std::string text = "text,label\n";
  for (int i = 0; i < 6; ++i) text += fmt::format("ab{0},walk\nba{0},run\n", i);
  const auto files = open({.train = {put("x.csv", text + "aa,Run\nbb,wlak\n")}});
  EXPECT_EQ(files->findings().warnings, (Texts{"the labels \"run\" and \"Run\" differ only in case",
                                               "the label \"wlak\" occurs once: is it \"walk\"?"}));
}

TEST_F(RealFiles, JsonWithSeveralLabels) {
  const auto files = open({.train = {put("x.jsonl", R"({"x": [[1, 2], [3, 4]], "y": ["u", "v"]}
{"x": [[5, 6]], "y": []}
{"x": [[7, 8]], "y": ["v"]}
)")},
                           .task = "labels",
                           .split = 0});
  EXPECT_EQ(files->shape().loss, Loss::kSigmoid);
  EXPECT_EQ(fill_first(*files, Split::kTrain, 3).values, (std::vector<float>{1, 1, 0, 0, 0, 1}));
}

TEST_F(RealFiles, AreATaskAsOthers) {
  const FilesTask task{
      .train = {put("t.csv", long_table(20))}, .target = {"kind"}, .id = "series", .time = "time"};
  const auto dataset = tasks::open_task(task, 1, folder_.path());
  EXPECT_EQ(dataset->size(Split::kTrain), 16);
  EXPECT_EQ(dataset->notes().size(), 1);
}

}  // namespace
}  // namespace rwa::datasets
