// tests/workflows/predict_test.cc: tests that predictions do not depend on the batch, keep the
// order of the file, and equal those of a stream.
#include "workflows/predict.h"

#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rwa/errors.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

constexpr Target kTargets[] = {Target::kNone,    Target::kClass,        Target::kLabels,
                               Target::kNumbers, Target::kClassPerStep, Target::kNumbersPerStep};

class PredictTest : public ::testing::Test {
 protected:
  std::string predicted(const Trained& trained, std::string_view table,
                        const PredictOptions& options = {}, RowFormat form = RowFormat::kCsv,
                        const char* name = "in.csv") {
    const fs::path in = folder_.path() / name, out = folder_.path() / "out.csv";
    io::put(in, table);
    Output output(out);
    write_predictions(trained, open_samples(trained.encoding, {&in, 1}, false), options, form,
                      output);
    return io::get(out);
  }

  io::TempFolder folder_;
};

TEST_F(PredictTest, DoesNotDependOnBatchesOrThreads) {
  for (const Target target : kTargets) {
    const Trained trained = make_trained(numbers_encoding(target));
    const std::string table = long_table(50, target);
    const std::string expected = predicted(trained, table);
    for (const int batch : {1, 3, 1000}) {
      EXPECT_EQ(predicted(trained, table, {.batch = batch, .session = {.threads = 2}}), expected)
          << to_string(target) << ", batch " << batch;
    }
  }
}

TEST_F(PredictTest, HasARowForEachSequenceInTheOrderOfTheFile) {
  // More than are in memory at a time.
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const auto rows = lines_of(predicted(trained, long_table(3000, Target::kClass)));
  ASSERT_EQ(rows.size(), 3001u);
  EXPECT_EQ(rows[0], "id,prediction,p_maybe,p_no,p_yes");
  for (std::size_t i = 0; i < 3000; ++i) {
    ASSERT_TRUE(rows[i + 1].starts_with(fmt::format("s{},", i))) << rows[i + 1];
  }
}

TEST_F(PredictTest, IsWhatAStreamSays) {
  for (const Target target : kTargets) {
    const Trained trained = make_trained(numbers_encoding(target));
    const auto table = long_table(20, target);
    const OutputDecoder decoder(trained.encoding);
    PredictionFormatter text(decoder, RowFormat::kCsv);
    std::string expected =
        text.header({.id = "", .step = trained.encoding.answers_every_step() ? 1 : 0});
    const fs::path in = folder_.path() / "in.csv";
    io::put(in, table);
    const SampleSource next = open_samples(trained.encoding, {&in, 1}, false);
    Stream stream(trained.model);
    std::vector<float> y(decoder.names().size());
    for (Sample sample; next(sample);) {
      stream.reset();
      const formats::Sequence& sequence = sample.sequence;
      for (int t = 0; t < sequence.steps; ++t) {
        stream.step(std::span(sequence.x).subspan(static_cast<std::size_t>(2 * t), 2), y);
        if (decoder.every_step()) text.append({.id = sequence.id, .step = t + 1}, y, expected);
      }
      if (!decoder.every_step()) text.append({.id = sequence.id}, y, expected);
    }
    EXPECT_EQ(predicted(trained, table), expected) << to_string(target);
  }
}

TEST_F(PredictTest, WindowsSayWhereTheyBegin) {
  datasets::Encoding encoding = numbers_encoding(Target::kClassPerStep);
  encoding.window = 4;
  encoding.stride = 3;
  const auto rows = lines_of(predicted(make_trained(encoding),
                                       "id,u,v\n"
                                       "a,1,2\na,3,4\na,5,6\na,7,8\na,9,10\n"));
  EXPECT_EQ(rows[0], "id,from,step,prediction,p_maybe,p_no,p_yes");
  const std::vector<std::string> expected = {"a,1,1,", "a,1,2,", "a,1,3,",
                                             "a,1,4,", "a,4,4,", "a,4,5,"};
  ASSERT_EQ(rows.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(rows[i + 1].starts_with(expected[i])) << rows[i + 1];
  }
  // A window is predicted like a separate sequence.
  encoding.window = 0;
  const auto alone = lines_of(predicted(make_trained(encoding), "id,u,v\nb,7,8\nb,9,10\n"));
  EXPECT_EQ(rows[5].substr(rows[5].find(",4,4,") + 5), alone[1].substr(alone[1].find(",1,") + 3));
}

TEST_F(PredictTest, JsonHasTheSameNumbers) {
  const Trained trained = make_trained(numbers_encoding(Target::kNumbers));
  const auto table = long_table(5, Target::kNumbers);
  const auto rows = lines_of(predicted(trained, table));
  const auto objects = lines_of(predicted(trained, table, {}, RowFormat::kJson));
  ASSERT_EQ(objects.size() + 1, rows.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto object = nlohmann::json::parse(objects[i]);
    std::string row = object["id"].get<std::string>();
    for (const char* name : {"height", "weight"}) {
      row += ',';
      append_number(object["prediction"][name].get<float>(), row);
    }
    EXPECT_EQ(row, rows[i + 1]);
  }
}

TEST_F(PredictTest, LettersOfLines) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const auto rows = lines_of(predicted(trained, "abc\ncab\n", {}, RowFormat::kCsv, "in.txt"));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[1].starts_with("1,")) << rows[1];
  EXPECT_NE(rows[1].substr(2), rows[2].substr(2));
}

// Although sequences before the bad line may have been computed already, nothing is written.
TEST_F(PredictTest, ABadLineIsAnErrorThatLeavesTheFileAsItWas) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  io::put(folder_.path() / "out.csv", "before");
  io::expect_error<InputError>([&] { predicted(trained, "id,u,v\na,1,2\nb,1,no number\n"); },
                               {"in.csv:3:5: found \"no number\", expected a number"});
  EXPECT_EQ(io::get(folder_.path() / "out.csv"), "before");
  EXPECT_EQ(folder_.count(), 2u);
}

TEST_F(PredictTest, BadSequencesAreSkippedAndCounted) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const fs::path in = folder_.path() / "in.txt";
  io::put(in, "abc\n\xff\ncab\nabz\nb\n");
  std::vector<std::string> reasons;
  SkipReport report{.tell = [&](const InputError& reason) { reasons.push_back(reason.what()); }};
  const SampleSource next = open_samples(trained.encoding, {&in, 1}, false, &report);
  std::vector<std::string> ids;
  for (Sample sample; next(sample);) ids.push_back(sample.sequence.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"1", "3", "5"}));
  EXPECT_EQ(report.sequences, 5);
  EXPECT_EQ(report.skipped, 2);
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(
      reasons[0],
      in.string() +
          ":2:1: found the byte 0xff, expected UTF-8 text: convert the file, such as with iconv");
  EXPECT_TRUE(reasons[1].starts_with(in.string() + ":4: found the symbol \"z\"")) << reasons[1];
}

// A sequence that the encoder refuses has been read: any reader can go on.
TEST_F(PredictTest, MissingNumbersAreSkipped) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const fs::path in = folder_.path() / "in.csv";
  io::put(in, "id,u,v\na,1,2\nb,1,NA\nc,1,2\n");
  SkipReport report{.tell = [](const InputError&) {}};
  const SampleSource next = open_samples(trained.encoding, {&in, 1}, false, &report);
  std::string ids;
  for (Sample sample; next(sample);) ids += sample.sequence.id;
  EXPECT_EQ(ids, "ac");
  EXPECT_EQ(report.skipped, 1);
}

TEST_F(PredictTest, WhatTheSeerThrowsEndsIt) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  int given = 0;
  const SampleSource endless = [&](Sample& sample) {
    sample.sequence.steps = 1;
    sample.sequence.x = {1, 2};
    return ++given > 0;
  };
  const LogitsConsumer fails = [](const Sample&, std::span<const float>) {
    throw std::runtime_error("enough");
  };
  io::expect_error<std::runtime_error>([&] { predict(trained, endless, {}, fails); }, {"enough"});
}

TEST_F(PredictTest, FilesWithoutAnswersCannotBeScored) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const fs::path in = folder_.path() / "in.csv";
  io::put(in, "id,u,v\na,1,2\n");
  Sample sample;
  io::expect_error<InputError>(
      [&] {
        open_samples(trained.encoding, {&in, 1}, true)(sample);
      },
      {"in.csv:2: found a sequence without a target, expected answer"});
}

TEST(OutputTest, TakesItsPlaceAtTheEnd) {
  const io::TempFolder folder;
  const fs::path file = folder.path() / "out";
  io::put(file, "before");
  {
    Output output(file);
    output.write("after");
    EXPECT_EQ(io::get(file), "before");
    output.finish();
    EXPECT_EQ(io::get(file), "after");
  }
  { Output(file).write("never"); }
  EXPECT_EQ(io::get(file), "after");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(OutputTest, ADeviceIsWrittenTo) {
  Output("/dev/null").finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  Output full("/dev/full");
  io::expect_error<ResourceError>([&] { full.write("text"); }, {"/dev/full", "No space left"});
  io::expect_error<ResourceError>([] { Output("/nowhere/at/all"); }, {"/nowhere/at/"});
}

}  // namespace
}  // namespace rwa::workflows
