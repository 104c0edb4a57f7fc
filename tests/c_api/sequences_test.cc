// tests/c_api/sequences_test.cc: lists of sequences through C return what was added and reject
// invalid sequences; training obeys its listener.
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <span>

#include "c_api/c_api_testing.h"
#include "c_api/sequences.h"
#include "io/io_testing.h"

namespace rwa::c_api {
namespace {

using nlohmann::json;
using SequencesHandle = std::unique_ptr<rwa_sequences, Free<rwa_sequences_free>>;
using PredictionsHandle = std::unique_ptr<rwa_predictions, Free<rwa_predictions_free>>;

constexpr const char* kSchema = R"({"features": ["u", "v"], "task": "class"})";

SequencesHandle new_list(const char* schema) {
  return made<SequencesHandle>(rwa_sequences_new, schema);
}

void add_labels(rwa_sequences* list, std::vector<const char*> labels) {
  expect_ok(rwa_sequences_add_words(list, nullptr, 0, labels.data(), labels.size()));
}

rwa_sequence sequence_of(int steps, const float* x, std::span<const std::int32_t> labels = {},
                         std::span<const float> values = {}) {
  return {.id = nullptr,
          .steps = steps,
          .x = x,
          .symbols = nullptr,
          .labels = labels.data(),
          .label_count = labels.size(),
          .values = values.data(),
          .value_count = values.size()};
}

// Makes a list of `count` sequences of 1 to 4 steps; those of the class "up" have larger values.
SequencesHandle two_classes(int count) {
  auto list = new_list(kSchema);
  add_labels(list.get(), {"up", "down"});
  for (int i = 0; i < count; ++i) {
    const std::array<std::int32_t, 1> label = {i % 2};
    const std::vector<float> x(8, i % 2 == 0 ? 1.0F : -1.0F);
    const rwa_sequence sequence = sequence_of(1 + i % 4, x.data(), label);
    expect_ok(rwa_sequences_add(list.get(), &sequence));
  }
  return list;
}

TEST(CSequences, WhatWasFoundIsDescribed) {
  const auto list = new_list(kSchema);
  list->findings = {
      .columns = {{"load", "feature", "numbers"}}, .task = "named so", .warnings = {"not sorted"}};
  const char* text = nullptr;
  expect_ok(rwa_sequences_describe(list.get(), &text));
  const auto about = json::parse(text);
  EXPECT_EQ(about["findings"], json::parse(R"({"columns": [{"name": "load",
      "role": "feature", "why": "numbers"}], "task": "named so", "warnings": ["not sorted"]})"));
}

TEST(CSequences, WhatIsAddedComesOut) {
  const auto list = two_classes(3);
  std::size_t count = 0;
  expect_ok(rwa_sequences_count(list.get(), &count));
  EXPECT_EQ(count, 3);
  rwa_sequence found = {};
  expect_ok(rwa_sequences_get(list.get(), 1, &found));
  EXPECT_STREQ(found.id, "2");
  EXPECT_EQ(found.steps, 2);
  EXPECT_EQ(found.x[3], -1);
  EXPECT_EQ(found.label_count, 1);
  EXPECT_EQ(found.labels[0], 1);
  EXPECT_EQ(found.symbols, nullptr);
  const char* text = nullptr;
  expect_ok(rwa_sequences_describe(list.get(), &text));
  const json about = json::parse(text);
  EXPECT_EQ(about["features"], json({"u", "v"}));
  EXPECT_EQ(about["labels"], json({"up", "down"}));
  EXPECT_EQ(about["targets"], json({"y"}));
  EXPECT_EQ(about["input"], "numbers");
}

TEST(CSequences, WhatDoesNotFitIsRefused) {
  const auto list = two_classes(0);
  const std::array<float, 2> x = {1, 2};
  const auto refused = [&](rwa_sequence sequence, const std::vector<std::string>& words) {
    expect_failure(rwa_sequences_add(list.get(), &sequence), RWA_INPUT_ERROR, words);
  };
  const std::array<std::int32_t, 1> none = {2};
  const std::array<std::int32_t, 2> two = {0, 1};
  refused(sequence_of(-1, x.data()), {"steps is -1, expected 0 or more"});
  refused(sequence_of(1, nullptr), {"x is null"});
  refused(sequence_of(1, x.data(), none), {"labels[0] is 2, expected an index below 2"});
  refused(sequence_of(1, x.data(), two),
          {"the targets of sequence 1", "labels: 2, values: 0", "the task class"});
  refused(sequence_of(1, x.data(), {}, x), {"labels: 0, values: 2"});
  std::size_t count = 1;
  expect_ok(rwa_sequences_count(list.get(), &count));
  EXPECT_EQ(count, 0);
  rwa_sequence found = {};
  expect_failure(rwa_sequences_get(list.get(), 0, &found), RWA_INPUT_ERROR,
                 {"there is no sequence 0"});
  const char* up = "up";
  expect_failure(rwa_sequences_add_words(list.get(), nullptr, 0, &up, 1), RWA_INPUT_ERROR,
                 {"\"up\" is already in the list"});
}

TEST(CSequences, ASchemaThatCannotBeIsRefused) {
  const auto refused = [](const char* schema, const std::vector<std::string>& words) {
    rwa_sequences* out = nullptr;
    expect_failure(rwa_sequences_new(schema, &out), RWA_CONFIG_ERROR, words);
    EXPECT_EQ(out, nullptr);
  };
  refused("{}", {"features is empty"});
  refused(R"({"features": ["x"], "task": "clas"})", {"unknown task 'clas'"});
  refused(R"({"features": ["x"], "targets": ["y"]})", {"expected none for the task forecast"});
  refused(R"({"feature": ["x"]})", {"unknown option 'feature', did you mean features?"});
}

TEST(CSequences, FilesAreRead) {
  const io::TempFolder folder;
  const auto file = folder.path() / "a.csv";
  io::put(file, "id,u,label\na,1,up\na,2,up\nb,3,down\n");
  const std::string name = file.string();
  const char* path = name.c_str();
  const auto list = made<SequencesHandle>(rwa_read, &path, 1, nullptr);
  rwa_sequence found = {};
  expect_ok(rwa_sequences_get(list.get(), 0, &found));
  EXPECT_STREQ(found.id, "a");
  EXPECT_EQ(found.steps, 2);
  rwa_sequences* out = nullptr;
  expect_failure(rwa_read(&path, 0, nullptr, &out), RWA_CONFIG_ERROR, {"no files"});
  expect_failure(rwa_read(&path, 1, R"({"kmer": 0})", &out), RWA_CONFIG_ERROR,
                 {"kmer is 0, expected a whole number from 1"});
}

int listen(void* user, const char* progress) {
  const auto& wish = *static_cast<const rwa_wish*>(user);
  return json::parse(progress)["step"] < 3 ? RWA_GO_ON : wish;
}

TEST(CTrain, ListensToItsListener) {
  const auto list = two_classes(12);
  constexpr const char* kOptions = R"({"units": 2, "batch": 2, "every": 1, "threads": 1, "split": 0.2})";
  rwa_model* model = nullptr;
  const char* summary = nullptr;
  rwa_wish wish = RWA_GIVE_UP;
  expect_failure(rwa_train(list.get(), nullptr, kOptions, listen, &wish, &model, &summary),
                 RWA_INTERRUPTED, {"aborted"});
  EXPECT_EQ(model, nullptr);
  wish = RWA_FINISH;
  expect_ok(rwa_train(list.get(), nullptr, kOptions, listen, &wish, &model, &summary));
  const ModelHandle ended(model);
  const json about = json::parse(summary);
  EXPECT_EQ(about["end"], "stopped");
  EXPECT_EQ(about["steps"], 3);
}

TEST(CPredict, AnswersEverySequence) {
  const auto list = two_classes(12);
  rwa_model* model = nullptr;
  expect_ok(rwa_train(list.get(), nullptr, R"({"units": 4, "learning_rate": 0.05, "threads": 1})",
                      nullptr, nullptr, &model, nullptr));
  const ModelHandle trained(model);
  const auto predictions =
      made<PredictionsHandle>(rwa_predict, trained.get(), list.get(), R"({"threads": 1})");
  const float* values = nullptr;
  const std::int64_t* offsets = nullptr;
  std::size_t sequences = 0;
  expect_ok(rwa_predictions_get(predictions.get(), &values, &offsets, &sequences));
  ASSERT_EQ(sequences, 12);
  EXPECT_EQ(offsets[12], 12);
  const char* text = nullptr;
  expect_ok(rwa_model_data(trained.get(), &text));
  EXPECT_EQ(json::parse(text)["outputs"], json({"down", "up"}));
  for (std::size_t i = 0; i < sequences; ++i) {
    EXPECT_NEAR(values[2 * i] + values[2 * i + 1], 1, 1e-6);
    EXPECT_EQ(values[2 * i] > values[2 * i + 1], i % 2 == 1) << i;
  }
}

TEST(CPredict, AModelThatKnowsNoDataIsRefused) {
  const auto model = new_model(R"({"inputs": 2, "units": 2, "outputs": 2})");
  const auto list = two_classes(1);
  rwa_predictions* out = nullptr;
  expect_failure(rwa_predict(model.get(), list.get(), nullptr, &out), RWA_MODEL_FILE_ERROR,
                 {"the model: ", "no note \"data\""});
  const char* text = nullptr;
  expect_failure(rwa_model_data(model.get(), &text), RWA_MODEL_FILE_ERROR, {"no note"});
}

}  // namespace
}  // namespace rwa::c_api
