// tests/workflows/trained_test.cc: tests which models can be loaded, and which are refused.
#include "workflows/trained.h"

#include <filesystem>

#include "rwa/errors.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

class TrainedTest : public ::testing::Test {
 protected:
  io::TempFolder folder_;
  fs::path file_ = folder_.path() / "model.safetensors";
};

TEST_F(TrainedTest, ComesFromAFileOrAFolder) {
  const Trained saved = make_trained(numbers_encoding(Target::kClass));
  saved.model.save(file_);
  for (const fs::path& path : {file_, folder_.path()}) {
    const Trained loaded = load_trained(path);
    EXPECT_EQ(loaded.encoding, saved.encoding);
    EXPECT_EQ(loaded.model.config(), saved.model.config());
  }
}

TEST_F(TrainedTest, AModelThatKnowsNoFilesIsRefused) {
  Model({.inputs = 2, .units = 4, .outputs = 3}).save(file_);
  io::expect_error<ModelFileError>(
      [&] { load_trained(file_); },
      {file_.string(), "no note \"data\"", "rwa train", "rwa import --data"});
}

TEST_F(TrainedTest, ANoteOfAnotherNetworkIsRefused) {
  Trained trained = make_trained(numbers_encoding(Target::kClass));
  const auto save_with_note_of = [&](const datasets::Encoding& other) {
    trained.model.set_note("data", datasets::to_json(other));
    trained.model.save(file_);
  };
  save_with_note_of(numbers_encoding(Target::kNumbers));
  io::expect_error<ModelFileError>([&] { load_trained(file_); },
                                   {"the network has outputs 3, expected 2"});
  save_with_note_of(numbers_encoding(Target::kClassPerStep));
  io::expect_error<ModelFileError>([&] { load_trained(file_); }, {"readout last, expected every"});
  save_with_note_of(numbers_encoding(Target::kLabels));
  io::expect_error<ModelFileError>([&] { load_trained(file_); },
                                   {"loss softmax, expected sigmoid"});
}

TEST_F(TrainedTest, WhatIsNotThereIsAMistakeOfTheUser) {
  io::expect_error<ConfigError>([&] { load_trained(file_); },
                                {"no such file or folder", file_.string()});
  io::expect_error<ConfigError>([&] { load_trained(folder_.path()); },
                                {"a folder without a model.safetensors"});
  io::put(file_, "nonsense");
  io::expect_error<ModelFileError>([&] { load_trained(file_); }, {file_.string()});
}

}  // namespace
}  // namespace rwa::workflows
