// tests/datasets/files_ranks_test.cc: if one rank reads the files, all ranks get the sequences,
// data sets and plans of a single process. On the other ranks the paths do not exist.
#include "datasets/files_read.h"

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "comm/ranks.h"
#include "datasets/datasets_testing.h"
#include "datasets/files.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "support/thread_ranks.h"
#include "workflows/plan.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;
using cases::run_ranks;
using io::expect_error;

constexpr int kRanks = 3;
constexpr std::size_t kLong = 30'000;  // characters; 9 times this exceeds one message
constexpr Split kSplits[] = {Split::kTrain, Split::kValid, Split::kTest};

// The task as given to a rank: only rank 0 sees the files.
FilesTask task_of(int rank, FilesTask task) {
  if (rank == 0) return task;
  for (auto* paths : {&task.train, &task.valid, &task.test}) {
    for (std::string& path : *paths) path = "/nowhere/" + fs::path(path).filename().string();
  }
  return task;
}

class SharedFiles : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    io::put(file, text);
    return file.string();
  }
  std::unique_ptr<Files> open(const FilesTask& task) { return open_files(task, 1, folder_.path()); }
  std::unique_ptr<Files> open(const FilesTask& task, Link& link) {
    return open_files(task_of(link.rank(), task), 1,
                      link.rank() == 0 ? folder_.path() : fs::path("/nowhere"), {}, &link);
  }

  // Opens the task on all ranks and expects the data of a single process on each.
  void expect_same(const FilesTask& task);
  // Opens the task on all ranks and expects rank 0 to throw Error, the others that a rank has
  // failed.
  template <class Error>
  void expect_refused(const FilesTask& task, std::initializer_list<std::string_view> parts);

  io::TempFolder folder_;
};

auto fields(const Statistics& s) {
  return std::tie(s.sequences, s.steps, s.lengths, s.labels, s.missing, s.least, s.most);
}
auto fields(const Shape& s) {
  return std::tie(s.input, s.inputs, s.outputs, s.readout, s.loss, s.longest, s.mean_length,
                  s.says);
}
auto fields(const Naive& n) { return std::tie(n.loss, n.accuracy); }
auto fields(const Batch& b) {
  return std::tie(b.x, b.symbols, b.lengths, b.classes, b.values, b.steps);
}
auto fields(const formats::Sequence& s) {
  return std::tie(s.id, s.line, s.steps, s.x, s.symbols, s.labels, s.values);
}

void expect_same_samples(const Files& files, const Files& alone, Split split) {
  ASSERT_EQ(files.size(split), alone.size(split));
  const std::int64_t size = alone.size(split);
  formats::Sequence sample, expected;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::vector<std::int64_t> samples = {i, (i + 1) % size, size - 1 - i};
    const Batch batch = fill(files, split, samples);
    const Batch expected_batch = fill(alone, split, samples);
    EXPECT_TRUE(fields(batch) == fields(expected_batch)) << "the batch from " << i;
    files.sample(split, i, sample);
    alone.sample(split, i, expected);
    EXPECT_TRUE(fields(sample) == fields(expected)) << "sample " << i;
  }
}

void expect_same_files(const Files& files, const Files& alone) {
  EXPECT_EQ(files.sha256(), alone.sha256());
  EXPECT_EQ(to_json(files.encoding()), to_json(alone.encoding()));
  EXPECT_TRUE(fields(files.statistics()) == fields(alone.statistics()));
  EXPECT_TRUE(fields(files.shape()) == fields(alone.shape()));
  EXPECT_TRUE(fields(files.naive()) == fields(alone.naive()));
  for (const Split split : kSplits) expect_same_samples(files, alone, split);
  std::vector<std::int64_t> drawn(50), expected(50);
  files.draw(7, 3, drawn);
  alone.draw(7, 3, expected);
  EXPECT_EQ(drawn, expected);
}

void SharedFiles::expect_same(const FilesTask& task) {
  const auto alone = open(task);
  std::mutex mutex;  // one rank at a time compares
  run_ranks(kRanks, [&](Link& link) {
    const auto files = open(task, link);
    const std::lock_guard lock(mutex);
    SCOPED_TRACE("rank " + std::to_string(link.rank()));
    expect_same_files(*files, *alone);
    for (int fold = 1; fold < task.folds; ++fold) {
      expect_same_files(*with_fold(*files, task, fold), *with_fold(*alone, task, fold));
    }
  });
}

template <class Error>
void SharedFiles::expect_refused(const FilesTask& task,
                                 std::initializer_list<std::string_view> parts) {
  std::vector<std::string> said(kRanks);
  const auto try_it = [&](Link& link) {
    try {
      open(task, link);
    } catch (const std::exception& error) {
      said[static_cast<std::size_t>(link.rank())] = error.what();
      throw;
    }
  };
  expect_error<Error>([&] { run_ranks(kRanks, try_it); }, parts);
  for (int rank = 1; rank < kRanks; ++rank) {
    EXPECT_EQ(said[static_cast<std::size_t>(rank)], "another rank has failed");
  }
}

// A table of `series` series with sensors a and b, three steps each; one value is missing.
std::string long_table(int series) {
  std::string text = "series,time,a,b,kind\n";
  for (int i = 0; i < series; ++i) {
    for (int t = 0; t < 3; ++t) {
      text +=
          fmt::format("s{},{},{},{},{}\n", i, t, i + t,
                      i == 2 && t == 1 ? "" : std::to_string(10 * i), i % 3 == 0 ? "hot" : "cold");
    }
  }
  return text;
}

// One line per sequence; one line is nine times as long as the others.
std::string long_text(int lines, std::size_t letters) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += fmt::format("__label__{} ", i % 3 == 0 ? "p" : "q");
    for (std::size_t t = 0; t < letters * (i == 3 ? 9 : 1); ++t) {
      text += static_cast<char>('a' + (t * t + static_cast<std::size_t>(i)) % (3 + i / 4));
    }
    text += '\n';
  }
  return text;
}

TEST_F(SharedFiles, ALongTableWithFilesForEachSplit) {
  expect_same({.train = {put("a.csv", long_table(20)), put("b.csv", long_table(7))},
               .valid = {put("valid.csv", long_table(5))},
               .test = {put("test.csv", long_table(4))},
               .target = {"kind"},
               .id = "series",
               .time = "time",
               .missing = "previous",
               .balance = true});
}

TEST_F(SharedFiles, AWideTableWithoutSomeNumbersInFolds) {
  std::string text = "first,second,third,y\n";
  for (int i = 0; i < 24; ++i) {
    text += fmt::format("{},{},{},{}\n", i, i % 5 == 0 ? "" : "1.5", -i, 0.1 * i);
  }
  expect_same({.train = {put("w.csv", text)},
               .layout = "wide",
               .task = "numbers",
               .target = {"y"},
               .missing = "mean",
               .folds = 4});
}

TEST_F(SharedFiles, SequencesThatAreScaledByThemselvesInFolds) {
  std::string text = "first,second,third,y\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("{},{},{},{}\n", i, std::exp(i % 13), 0.5 * i, i % 3 == 0 ? "a" : "b");
  }
  const FilesTask task{
      .train = {put("w.csv", text)}, .layout = "wide", .target = {"y"}, .folds = 4};
  EXPECT_EQ(open(task)->encoding().scale, Scale::kSequence);
  expect_same(task);
}

TEST_F(SharedFiles, LettersThatAreForecastInWindows) {
  expect_same({.train = {put("x.fa", ">one\nACGTACCA\n>two\nGGCATTTN\n>three\nAC\n")},
               .task = "forecast",
               .kmer = 2,
               .window = 3,
               .stride = 2,
               .split = 0});
}

TEST_F(SharedFiles, LabelsThatStandBesideTheSequences) {
  put("genes/one/a.fa", ">r1\nACGT\n>r2\nGG\n");
  put("genes/two/b.fa", ">r3\nTTTT\n");
  put("genes/two/c.fa", ">r4\nTTGA\n");
  expect_same({.train = {(folder_.path() / "genes").string()},
               .test = {put("two/d.fa", ">r5\nNNN\n")},
               .label_from = "folder",
               .split = 0});
}

TEST_F(SharedFiles, SeveralLabelsOfASequence) {
  expect_same({.train = {put("x.jsonl", R"({"x": [[1, 2], [3, 4]], "y": ["u", "v"]}
{"x": [[5, 6]], "y": []}
{"x": [[7, 8]], "y": ["w", "v"]}
)")},
               .task = "labels",
               .split = 0});
}

TEST_F(SharedFiles, MoreThanOneMessage) {
  expect_same({.train = {put("x.txt", long_text(30, kLong))}, .split = 0.25});
}

TEST_F(SharedFiles, AFileForValidationBringsNewWords) {
  expect_same({.train = {put("x.txt", "__label__p abba\n__label__q baab\n")},
               .valid = {put("v.txt", "__label__p abcd\n")},
               .test = {put("y.txt", "__label__q eabcd\n")}});
}

// Returns the number of unnamed files that this process has open.
std::size_t nameless_files() {
  std::set<std::pair<dev_t, ino_t>> files;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    struct stat found {};
    const bool is_open = ::stat(entry.path().c_str(), &found) == 0;
    if (is_open && S_ISREG(found.st_mode) && found.st_nlink == 0) {
      files.emplace(found.st_dev, found.st_ino);
    }
  }
  return files.size();
}

// With this many folds each has little memory, and one has a long sequence.
TEST_F(SharedFiles, AFoldThatDoesNotFitIntoMemoryIsWrittenOnce) {
  constexpr int kFolds = 500;
  std::string text = std::string(Store::kMemory / kFolds, 'a') + "\n";
  for (int i = 0; i < kFolds; ++i) text += i % 2 == 0 ? "abba\n" : "cab\n";
  const FilesTask task{.train = {put("x.txt", text)}, .task = "forecast", .folds = kFolds};
  const auto alone = open(task);
  const std::size_t before = nameless_files();
  std::mutex mutex;
  run_ranks(kRanks, [&](Link& link) {
    const auto files = open(task, link);
    Ranks(&link).meet();
    const std::lock_guard lock(mutex);
    EXPECT_EQ(nameless_files(), before + 1);
    expect_same_files(*files, *alone);
  });
  ASSERT_GT(before, 0);
}

// The readers return every sequence with its file, line and words.
TEST_F(SharedFiles, AreReadAsTheyStand) {
  put("all/a.fa", ">r1\nACGT\n>r2 more\nGGN\n");
  put("all/b.fa", "\n\n>r3\nTTTT\n");
  const std::vector<fs::path> paths = {folder_.path() / "all"};
  const formats::Options options{.label_from = "file"};
  const auto list = [&](Link* link) {
    const auto vocabulary = std::make_shared<formats::Vocabulary>();
    const auto reader = open_together(link)(paths, options, vocabulary);
    std::vector<std::string> lines = {reader->file()};
    for (formats::Sequence sequence; reader->next(sequence);) {
      lines.push_back(fmt::format("{}:{} {} {} {} {}", reader->file(), sequence.line, sequence.id,
                                  sequence.steps, fmt::join(sequence.symbols, " "),
                                  fmt::join(sequence.labels, " ")));
    }
    lines.push_back(fmt::format("{} {}", fmt::join(vocabulary->symbols.words(), " "),
                                fmt::join(vocabulary->labels.words(), " ")));
    return std::pair(lines, reader->schema());
  };
  const auto alone = list(nullptr);
  ASSERT_EQ(alone.first.size(), 5);
  run_ranks(kRanks, [&](Link& link) { EXPECT_EQ(list(&link), alone); });
}

TEST_F(SharedFiles, OnlyTheFirstRankTellsHowFarItIs) {
  const FilesTask task{.train = {put("x.txt", long_text(9, 10))}, .split = 0};
  std::vector<std::int64_t> given(kRanks);
  run_ranks(kRanks, [&](Link& link) {
    std::int64_t& last = given[static_cast<std::size_t>(link.rank())];
    open_files(
        task, 1, folder_.path(), [&](std::int64_t sequences) { last = sequences; }, &link);
  });
  EXPECT_EQ(given, (std::vector<std::int64_t>{9, 0, 0}));
}

// Errors in the files are reported once, by the rank that reads them.
TEST_F(SharedFiles, AreRefusedByTheReader) {
  expect_refused<InputError>({.train = {put("x.txt", long_text(30, kLong) + "__label__p a\xff\n")}},
                             {"x.txt:31:", "UTF-8"});
  expect_refused<InputError>(
      {.train = {put("good.txt", long_text(9, 9))}, .test = {put("bad.csv", "a,b\n1,2\n")}},
      {"bad.csv:"});
  expect_refused<ConfigError>({.train = {(folder_.path() / "none.csv").string()}}, {"none.csv"});
}

// Likewise for files that can be read but not trained on, even if one sequence fills a message.
TEST_F(SharedFiles, AreRefusedByWhoTakesThemIn) {
  FilesTask task{
      .train = {put("t.csv", long_table(20))}, .target = {"kind"}, .id = "series", .time = "time"};
  expect_refused<InputError>(task, {"t.csv:9:8: found no number for \"b\" at step 2"});
  std::string long_one = "series,time,a,b,kind\n";
  for (int t = 0; t < 40'000; ++t) long_one += fmt::format("s,{},1,{},hot\n", t, t == 9 ? "" : "2");
  task.train = {put("long.csv", long_one + "r,0,1,2,cold\n")};
  expect_refused<InputError>(task, {"long.csv:11:7: found no number for \"b\" at step 10"});
  task.train = {put("name.csv", "\xe9,y\n1,2\n3,4\n")};
  task.target = {"y"};
  task.id = task.time = "";
  expect_refused<InputError>(task, {"name.csv:1:", "UTF-8"});
}

TEST_F(SharedFiles, ArePlannedForAlike) {
  const FilesTask task{.train = {put("x.txt", long_text(30, 50))}};
  const auto request_of = [&](const FilesTask& files, const std::string& folder) {
    const std::string toml = fmt::format("[task]\ntrain = ['{}']\nfolds = 3", files.train.front());
    return workflows::TrainRequest{.settings = training::Overrides::parse(toml, "test"),
                                   .repeat = 2,
                                   .out = folder_.path() / folder};
  };
  const workflows::Plan alone = workflows::plan(request_of(task, "run"), Reading{});
  std::mutex mutex;
  run_ranks(kRanks, [&](Link& link) {
    const FilesTask mine = task_of(link.rank(), task);
    const auto here = request_of(mine, std::to_string(link.rank()));
    const workflows::Plan plan = workflows::plan(here, Reading{}, &link);
    const std::lock_guard lock(mutex);
    EXPECT_FALSE(fs::exists(here.out));
    EXPECT_EQ(plan.notes, alone.notes);
    ASSERT_EQ(plan.runs.size(), alone.runs.size());
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
      training::Experiment expected = alone.runs[i].experiment;
      std::get<FilesTask>(expected.task).train = mine.train;
      EXPECT_EQ(plan.runs[i].experiment, expected);
      EXPECT_EQ(plan.runs[i].memory, alone.runs[i].memory);
      expect_same_files(*plan.runs[i].files, *alone.runs[i].files);
    }
  });
}

}  // namespace
}  // namespace rwa::datasets
