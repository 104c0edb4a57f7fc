// tests/api/notes_test.cc: notes are saved in the model file; those that cannot be saved are
// rejected by set_note().
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/safetensors.h"
#include "rwa/rwa.h"

namespace rwa {
namespace {

namespace fs = std::filesystem;
using io::expect_error;
using io::TempFolder;
using Notes = std::map<std::string, std::string>;

constexpr ModelConfig kSmall{.inputs = 1, .units = 2, .outputs = 1};

TEST(Notes, ComeBackFromTheFile) {
  const TempFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  Model model(kSmall);
  EXPECT_TRUE(model.notes().empty());
  const Notes notes = {{"data", R"({"columns": ["a\n", "ü"]})"}, {"Who?", "\t\"me\"\x01"}};
  for (const auto& [name, text] : notes) model.set_note(name, text);
  EXPECT_EQ(model.notes(), notes);
  model.save(file);
  Model loaded = Model::load(file);
  EXPECT_EQ(loaded.notes(), notes);
  EXPECT_EQ(loaded.config(), kSmall);

  loaded.set_note("data", "other");
  loaded.set_note("Who?", "");
  loaded.set_note("nobody", "");
  loaded.save(file);
  EXPECT_EQ(Model::load(file).notes(), (Notes{{"data", "other"}}));
}

TEST(Notes, AModelWithoutThemHasTheFileOfBefore) {
  const TempFolder folder;
  Model model(kSmall);
  model.save(folder.path() / "before");
  model.set_note("data", "x");
  model.set_note("data", "");
  model.save(folder.path() / "after");
  EXPECT_EQ(io::get(folder.path() / "before"), io::get(folder.path() / "after"));
}

TEST(Notes, AreWhateverElseIsInTheMetadata) {
  const TempFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  Model(kSmall).save(file);
  io::TensorFile content = io::read_safetensors(file);
  content.metadata["licence"] = "MIT";
  content.metadata.erase(io::kChecksumKey);
  io::write_safetensors(file, content);
  EXPECT_EQ(Model::load(file).notes(), (Notes{{"licence", "MIT"}}));
}

TEST(Notes, OfATakenOrEmptyNameAreRefused) {
  Model model(kSmall);
  for (const std::string name : {"", "format", "format_version", "network", "sha256"}) {
    for (const std::string text : {"x", ""}) {
      expect_error<InputError>(
          [&] { model.set_note(name, text); },
          {"the name \"" + name + "\"", "format, format_version, network, sha256"});
    }
  }
  EXPECT_TRUE(model.notes().empty());
}

TEST(Notes, ThatAreNotTextAreRefused) {
  Model model(kSmall);
  expect_error<InputError>([&] { model.set_note("data", "\xff"); }, {"a note is not valid UTF-8"});
  expect_error<InputError>([&] { model.set_note("\xff", "x"); }, {"a note is not valid UTF-8"});
  EXPECT_TRUE(model.notes().empty());
}

// Every set of notes that is accepted can be saved, for any network.
TEST(Notes, ThatDoNotFitAreRefused) {
  const TempFolder folder;
  const fs::path file = folder.path() / "model.safetensors";
  for (const int layers : {1, 300}) {
    Model model({.inputs = 1, .units = 1, .layers = layers, .outputs = 1});
    model.set_note("first", "stays");
    std::size_t most = 0;  // characters accepted
    for (std::size_t step = io::kMaxHeaderBytes; step > 0; step /= 2) {
      try {
        model.set_note("data", std::string(most + step, 'x'));
        most += step;
      } catch (const InputError&) {
      }
    }
    EXPECT_GT(most, io::kMaxHeaderBytes / 2);
    EXPECT_EQ(model.notes().at("data").size(), most);
    expect_error<InputError>([&] { model.set_note("data", std::string(most + 1, 'x')); },
                             {"the notes take ", " bytes, expected at most "});
    model.save(file);
    EXPECT_EQ(Model::load(file).notes(), model.notes());
  }
}

}  // namespace
}  // namespace rwa
