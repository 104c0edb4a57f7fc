// tests/training/described_test.cc: what `rwa inspect` finds behind a path, and how it refuses what it
// cannot read.
#include "training/described.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::training {
namespace {

namespace fs = std::filesystem;
using io::expect_error;

constexpr const char* kExperiment =
    "name = \"sums\"\n[task]\nkind = \"adding\"\nsteps = 8\n"
    "[network]\nunits = 6\nlayers = 2\nbidirectional = true\n";

class DescribedTest : public ::testing::Test {
 protected:
  fs::path put(const fs::path& name, std::string_view text) const {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    io::put(file, text);
    return file;
  }
  template <class Error>
  void refuse(const fs::path& path, std::initializer_list<std::string_view> parts) const {
    expect_error<Error>([&] { (void)read_described(path); }, {path.string()});
    expect_error<Error>([&] { (void)read_described(path); }, parts);
  }

  io::TempFolder folder_;
};

void expect_two_layers(const Described& found) {
  EXPECT_EQ(found.config.layers, 2);
  EXPECT_EQ(found.config.inputs, 2);
  EXPECT_TRUE(found.config.bidirectional);
  ASSERT_EQ(found.parts.size(), 5U);
  EXPECT_EQ(found.parts[2].name, "layers.1");
  EXPECT_EQ(found.parts[2].shape, "[T,B,12]");
}

TEST_F(DescribedTest, AnExperimentAndARun) {
  const Described experiment = read_described(put("sums.toml", kExperiment));
  EXPECT_EQ(experiment.kind, "an experiment");
  expect_two_layers(experiment);
  const Described run = read_described(put("run/config.toml", kExperiment).parent_path());
  EXPECT_EQ(run.kind, "a run");
  expect_two_layers(run);
}

TEST_F(DescribedTest, AModelByAnyName) {
  const Model model({.inputs = 3, .units = 4, .layers = 2});
  for (const char* name : {"model.safetensors", "model"}) {
    model.save(folder_.path() / name);
    const Described found = read_described(folder_.path() / name);
    EXPECT_EQ(found.kind, "a model");
    EXPECT_EQ(found.config, model.config());
    std::size_t sum = 0;
    for (const NetworkPart& part : found.parts) sum += part.parameters;
    EXPECT_EQ(sum, model.parameter_count());
  }
}

// The network of somebody's own files is that of the run's model.
TEST_F(DescribedTest, ARunOnFiles) {
  constexpr const char* kFiles = "name = \"own\"\n[task]\nkind = \"files\"\ntrain = [\"x.csv\"]\n";
  const fs::path config = put("run/config.toml", kFiles);
  refuse<ConfigError>(config, {"not known before its files are read", "no model.safetensors"});
  refuse<ConfigError>(config.parent_path(), {"not known before its files are read"});
  const Model model({.inputs = 3, .units = 4, .layers = 2});
  model.save(config.parent_path() / "model.safetensors");
  for (const fs::path& path : {config, config.parent_path()}) {
    EXPECT_EQ(read_described(path).config, model.config());
  }
  EXPECT_EQ(read_described(config.parent_path()).kind, "a run");
  // What stands beside an experiment of another name may be anything.
  refuse<ConfigError>(put("run/other.toml", kFiles), {"not known before its files are read"});
}

TEST_F(DescribedTest, NothingThere) {
  put("model.safetensors", "");
  refuse<ConfigError>(folder_.path() / "modle.safetensors",
                      {"no file or folder", "did you mean model.safetensors?"});
  refuse<ConfigError>(folder_.path() / "other", {"expected a model", "*.toml", "folder of a run"});
  refuse<ConfigError>(folder_.path() / "missing" / "model", {"expected a model"});
  refuse<ConfigError>("", {"no file or folder ''"});
}

TEST_F(DescribedTest, NoNetworkThere) {
  refuse<ConfigError>(put("notes.txt", "some text"), {"expected a model", "*.toml"});
  refuse<ModelFileError>(put("model.safetensors", "some text"), {"header"});
  refuse<ConfigError>(put("bad.toml", "name"), {"bad.toml:1", "TOML"});
  refuse<ConfigError>(put("wide.toml", std::string(kExperiment) + "dropout = 1.5\n"),
                      {"dropout is 1.5"});
  refuse<ConfigError>(put("empty/notes.txt", "").parent_path(), {"without a config.toml"});
}

}  // namespace
}  // namespace rwa::training
