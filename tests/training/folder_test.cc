#include "training/run_folder.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/metrics.h"
#include "training/run_store.h"
#include "training/run_testing.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;
using io::expect_error;
using io::TempFolder;

TEST(Metric, IsALineOfJson) {
  EXPECT_EQ(format_metric({.step = 100, .split = "test", .loss = 0.1618, .unit = "mse"}),
            R"({"step":100,"split":"test","loss":0.1618,"unit":"mse"})");
  EXPECT_EQ(
      format_metric({.step = 9, .split = "final", .loss = 1e-9, .unit = "bits", .accuracy = 0.998}),
      R"({"step":9,"split":"final","loss":1e-09,"unit":"bits","accuracy":0.998})");
}

TEST(Metric, AnyComesBackToTheLastBit) {
  const auto loss = rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      [](double value) { return std::isfinite(value); });
  EXPECT_TRUE(rc::check([&] {
    Metric metric{.step = *rc::gen::inRange<std::int64_t>(0, 1'000'000),
                  .split = *rc::gen::element<std::string>("train", "valid", "test", "final"),
                  .loss = *loss,
                  .unit = "bits"};
    if (*rc::gen::arbitrary<bool>()) metric.accuracy = *rc::gen::inRange(0, 101) / 100.0;
    for (const Metric& back : {parse_metric(format_metric(metric), "m:1"),
                               parse_metrics_csv(format_metrics_csv({&metric, 1}), "m").at(0)}) {
      RC_ASSERT(back == metric);
      RC_ASSERT(std::signbit(back.loss) == std::signbit(metric.loss));
    }
  }));
}

TEST(Metric, WhatIsWrongIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "m:7: found \"\", expected a JSON object: "},
      {"{\"step\":1,\"spl", "m:7: found \"{\\\"step\\\":1,\\\"spl\", expected a JSON object: "},
      {"[]", "m:7: found \"[]\", expected a JSON object: "},
      {"{}", "m:7: the field 'step' is missing"},
      {R"({"step":1.5})", "m:7: step is 1.5, expected a whole number from 0"},
      {R"({"step":-1})", "m:7: step is -1, expected a whole number from 0"},
      {R"({"step":1,"split":2})", "m:7: split is 2, expected a string"},
      {R"({"step":1,"split":"test","loss":"low"})",
       "m:7: loss is \"low\", expected a finite number"},
      {R"({"step":1,"split":"test","loss":1})", "m:7: the field 'unit' is missing"},
      {R"({"step":1,"split":"test","loss":1,"unit":"bits","accuracy":98})",
       "m:7: accuracy is 98, expected 0 to 1"},
  };
  for (const auto& [line, message] : cases) {
    expect_error<InputError>([&text = line] { parse_metric(text, "m:7"); }, {message});
  }
  EXPECT_THROW(parse_metric(std::string(1'000'000, '['), "m:1"), InputError);
}

TEST(Metric, PeopleReadBits) {
  EXPECT_EQ(unit_of(Loss::kSoftmax), "bits");
  EXPECT_EQ(unit_of(Loss::kSigmoid), "bits");
  EXPECT_EQ(unit_of(Loss::kSquaredError), "mse");
  EXPECT_DOUBLE_EQ(in_unit(Loss::kSigmoid, std::log(2)), 1);
  EXPECT_DOUBLE_EQ(in_unit(Loss::kSquaredError, 0.25), 0.25);
}

const std::string kRun =
    R"({"format":"rwa-run","format_version":1,"status":"interrupted",)"
    R"("steps":150,"train_seconds":12.5,"parameters":1234,"machine":)"
    R"({"processor":"Abacus","cores":2,"instruction_set":"avx2","threads":1}})";

TEST(Record, IsReadFromAFolder) {
  const TempFolder folder;
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  io::put(folder.path() / kMetricsFile,
          "{\"step\":0,\"split\":\"test\",\"loss\":1,\"unit\":\"mse\"}\n"
          "{\"step\":100,\"split\":\"test\",\"loss\":0.5,\"unit\":\"mse\"}\n"
          "{\"step\":200,\"spl");
  io::put(folder.path() / kRunFile, kRun);
  const Record record = read_run(folder.path());
  EXPECT_EQ(record.experiment, small_adding());
  ASSERT_EQ(record.metrics.size(), 2U);
  EXPECT_EQ(record.metrics[1].loss, 0.5);
  EXPECT_EQ(record.status, Status::kInterrupted);
  EXPECT_EQ(record.steps, 150);
  EXPECT_EQ(record.train_seconds, 12.5);
  EXPECT_EQ(record.parameters, 1234);
  EXPECT_EQ(record.machine, "Abacus, 2 cores, avx2, 1 thread");
  EXPECT_EQ(record.end, End::kSteps);  // the only end in older files
  EXPECT_FALSE(record.best_step.has_value());
}

TEST(Record, SaysWhyTheRunEndedAndWhichStepWasBest) {
  const TempFolder folder;
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  std::string run = kRun;
  run.insert(run.size() - 1, R"(,"ended_by":"patience","best_step":120)");
  io::put(folder.path() / kRunFile, run);
  EXPECT_EQ(read_run(folder.path()).end, End::kPatience);
  EXPECT_EQ(read_run(folder.path()).best_step, 120);
  run = kRun;
  run.insert(run.size() - 1, R"(,"ended_by":"boredom")");
  io::put(folder.path() / kRunFile, run);
  expect_error<InputError>([&] { read_run(folder.path()); },
                           {"run.json: unknown end 'boredom', expected one of: steps, patience"});
}

TEST(Record, OfARunOnAGpuNamesIt) {
  const TempFolder folder;
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  std::string run = kRun;
  run.insert(run.size() - 2, R"(,"gpu":"Big Abacus")");
  io::put(folder.path() / kRunFile, run);
  EXPECT_EQ(read_run(folder.path()).machine, "Big Abacus, Abacus, 2 cores");
}

TEST(Record, OfWhatIsKeptHasItsMetricsFromCsv) {
  const TempFolder folder;
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  io::put(folder.path() / kKeptMetricsFile,
          "step,split,loss,unit,accuracy\n0,test,1.5,bits,0.25\n4,test,1e-09,mse,\n"
          "4,final,-0,mse,1\n");
  EXPECT_EQ(read_run(folder.path()).metrics,
            (std::vector<Metric>{
                {.step = 0, .split = "test", .loss = 1.5, .unit = "bits", .accuracy = 0.25},
                {.step = 4, .split = "test", .loss = 1e-9, .unit = "mse"},
                {.step = 4, .split = "final", .loss = 0, .unit = "mse", .accuracy = 1}}));
  // metrics.jsonl takes precedence over the condensed metrics.csv.
  io::put(folder.path() / kMetricsFile, "");
  EXPECT_TRUE(read_run(folder.path()).metrics.empty());
}

TEST(MetricsCsv, NamesThePlaceOfAMistake) {
  const auto expect_refusal = [](const std::string& text,
                                 std::initializer_list<std::string_view> parts) {
    expect_error<InputError>([&] { parse_metrics_csv(text, "m.csv"); }, parts);
  };
  const std::string header = "step,split,loss,unit,accuracy\n";
  EXPECT_TRUE(parse_metrics_csv(header, "m.csv").empty());
  expect_refusal("", {"m.csv:1:1: found \"\", expected \"step,split,"});
  expect_refusal("step,split,loss,unit,accuracy", {"m.csv:1:1: ", "\\n"});
  expect_refusal("step,split,loss,unit\n", {"m.csv:1:1: found \"step,split,loss,unit\""});
  const std::string good = header + "4,test,1,bits,0.5\n";
  EXPECT_EQ(parse_metrics_csv(good, "m.csv").size(), 1U);
  expect_refusal(good + "\n", {"m.csv:3:1: found \"\", expected 5 comma-separated fields"});
  expect_refusal(good + "8,test,1,bits\n", {"m.csv:3:1: ", "5 comma-separated fields"});
  expect_refusal(good + "8,test,1,bits,0.5,\n", {"m.csv:3:1: ", "5 comma-separated fields"});
  expect_refusal(good + "8,test,1,bits,0.5", {"m.csv:3:1: ", "a line that ends with a newline"});
  expect_refusal(good + "x,test,1,bits,0.5\n", {"m.csv:3:1: found \"x\", expected a step number"});
  expect_refusal(good + "-8,test,1,bits,0.5\n", {"m.csv:3:1: found \"-8\""});
  expect_refusal(good + "3,test,1,bits,0.5\n",
                 {"m.csv:3:1: found \"3\", expected a step of at least 4"});
  expect_refusal(good + "8,tset,1,bits,0.5\n",
                 {"m.csv:3:3: found \"tset\", expected train, valid, test or final"});
  expect_refusal(good + "8,test,,bits,0.5\n", {"m.csv:3:8: found \"\", expected a loss"});
  expect_refusal(good + "8,test,nan,bits,0.5\n", {"m.csv:3:8: found \"nan\""});
  expect_refusal(good + "8,test,1e400,bits,0.5\n", {"m.csv:3:8: found \"1e400\""});
  expect_refusal(good + "8,test,1 ,bits,0.5\n", {"m.csv:3:8: found \"1 \""});
  expect_refusal(good + "8,test,1,nats,0.5\n",
                 {"m.csv:3:10: found \"nats\", expected bits, mse or pinball"});
  expect_refusal(good + "8,test,1,bits,1.5\n", {"m.csv:3:15: found \"1.5\", expected 0 to 1"});
  expect_refusal(good + "8,test,1,bits,0.5\r\n", {"m.csv:3:15: found \"0.5\\r\""});
}

TEST(Record, OfARunThatHasOnlyBegun) {
  const TempFolder folder;
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  const Record record = read_run(folder.path());
  EXPECT_EQ(record.status, Status::kRunning);
  EXPECT_TRUE(record.metrics.empty());
}

TEST(Record, TheFinalScoreIsThatOfTheWholeTestSet) {
  Record record;
  EXPECT_EQ(final_of(record), nullptr);
  record.metrics = {{.step = 4, .split = "test", .loss = 1, .unit = "mse"},
                    {.step = 4, .split = "final", .loss = 2, .unit = "mse"}};
  ASSERT_NE(final_of(record), nullptr);
  EXPECT_EQ(final_of(record)->loss, 2);
}

TEST(Record, DamagedFilesAreNamed) {
  const TempFolder folder;
  const auto read = [&] { read_run(folder.path()); };
  expect_error<ResourceError>(read, {"config.toml", "cannot open"});
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  io::put(folder.path() / kMetricsFile,
          "{\"step\":0,\"split\":\"test\",\"loss\":1,\"unit\":\"mse\"}\n{\"step\n{}\n");
  expect_error<InputError>(read, {"metrics.jsonl:2: found"});
  io::put(folder.path() / kMetricsFile, "");
  io::put(folder.path() / kRunFile, "{\"format\":\"jwa-run\"}");
  expect_error<InputError>(read, {"run.json: format is \"jwa-run\", expected \"rwa-run\""});
  io::put(folder.path() / kRunFile, "{\"format\":\"rwa-run\",\"status\":\"lost\"}");
  expect_error<InputError>(read, {"run.json: unknown status 'lost', expected one of: running"});
}

TEST(Record, MetricsAreOfAnyLengthAndOtherFilesAreSmall) {
  const TempFolder folder;
  const auto read = [&] { return read_run(folder.path()); };
  const std::string line = format_metric({.split = "test", .loss = 1, .unit = "mse"}) + "\n";
  const std::size_t count = io::kMostText / line.size() + 1;
  std::string metrics;
  for (std::size_t i = 0; i < count; ++i) metrics += line;
  io::put(folder.path() / kMetricsFile, metrics);
  io::put(folder.path() / kConfigFile, format_experiment(small_adding()));
  EXPECT_EQ(read().metrics.size(), count);
  for (const std::string_view name : {kRunFile, kConfigFile}) {
    io::put(folder.path() / name, metrics);
    expect_error<InputError>(read, {name, "bytes, expected at most 4194304"});
  }
}

TEST(FolderStore, WritesNoConfigurationThatItCouldNotRead) {
  const TempFolder folder;
  FolderStore store(folder.path());
  Experiment experiment = small_adding();
  experiment.task = datasets::FilesTask{.train = {std::string(io::kMostText, 'a')}};
  expect_error<ConfigError>([&] { store.set_experiment(experiment); },
                            {"config.toml: found 41", "expected at most 4194304", "folders"});
  EXPECT_EQ(folder.count(), 0);
}

TEST(FindRuns, FindsEveryFolderWithAConfiguration) {
  const TempFolder folder;
  for (const char* name : {"b/rwa-seed1", "b/lstm-seed1", "a/rwa-seed1", "report"}) {
    fs::create_directories(folder.path() / name);
  }
  for (const char* name : {"b/rwa-seed1", "b/lstm-seed1", "a/rwa-seed1"}) {
    io::put(folder.path() / name / kConfigFile, "");
  }
  EXPECT_EQ(find_runs(folder.path()),
            (std::vector<fs::path>{folder.path() / "a/rwa-seed1", folder.path() / "b/lstm-seed1",
                                   folder.path() / "b/rwa-seed1"}));
  EXPECT_EQ(find_runs(folder.path() / "a/rwa-seed1"),
            std::vector<fs::path>{folder.path() / "a/rwa-seed1"});
  EXPECT_TRUE(find_runs(folder.path() / "report").empty());
  expect_error<InputError>([&] { find_runs(folder.path() / "c"); }, {"/c: ", "found nothing"});
}

}  // namespace
}  // namespace rwa::training
