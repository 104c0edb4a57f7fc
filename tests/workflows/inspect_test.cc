// tests/workflows/inspect_test.cc: tests how `rwa inspect` reads data and networks, and its errors.
#include "workflows/inspect.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;
using io::expect_error;

constexpr const char* kExperiment =
    "name = \"sums\"\n[task]\nkind = \"adding\"\nsteps = 8\n"
    "[network]\nunits = 6\nlayers = 2\nbidirectional = true\n";

class InspectTest : public ::testing::Test {
 protected:
  fs::path put(const fs::path& name, std::string_view text) const {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    io::put(file, text);
    return file;
  }
  template <class Error>
  void refuse(const fs::path& path, std::initializer_list<std::string_view> parts) const {
    expect_error<Error>([&] { (void)summarize_network(path); }, {path.string()});
    expect_error<Error>([&] { (void)summarize_network(path); }, parts);
  }

  io::TempFolder folder_;
};

void expect_two_layers(const NetworkSummary& found) {
  EXPECT_EQ(found.config.layers, 2);
  EXPECT_EQ(found.config.inputs, 2);
  EXPECT_TRUE(found.config.bidirectional);
  ASSERT_EQ(found.parts.size(), 5U);
  EXPECT_EQ(found.parts[2].name, "layers.1");
  EXPECT_EQ(found.parts[2].shape, "[T,B,12]");
}

TEST_F(InspectTest, AnExperimentAndARun) {
  const NetworkSummary experiment = summarize_network(put("sums.toml", kExperiment));
  EXPECT_EQ(experiment.kind, "an experiment");
  expect_two_layers(experiment);
  const NetworkSummary run = summarize_network(put("run/config.toml", kExperiment).parent_path());
  EXPECT_EQ(run.kind, "a run");
  expect_two_layers(run);
}

TEST_F(InspectTest, AModelByAnyName) {
  const Model model({.inputs = 3, .units = 4, .layers = 2});
  for (const char* name : {"model.safetensors", "model"}) {
    model.save(folder_.path() / name);
    const NetworkSummary found = summarize_network(folder_.path() / name);
    EXPECT_EQ(found.kind, "a model");
    EXPECT_EQ(found.config, model.config());
    std::size_t sum = 0;
    for (const NetworkPart& part : found.parts) sum += part.parameters;
    EXPECT_EQ(sum, model.parameter_count());
  }
}

// The network of a run on user files is taken from its model.
TEST_F(InspectTest, ARunOnFiles) {
  constexpr const char* kFiles = "name = \"own\"\n[task]\nkind = \"files\"\ntrain = [\"x.csv\"]\n";
  const fs::path config = put("run/config.toml", kFiles);
  refuse<ConfigError>(config, {"the network depends on the data", "no model.safetensors"});
  refuse<ConfigError>(config.parent_path(), {"the network depends on the data"});
  const Model model({.inputs = 3, .units = 4, .layers = 2});
  model.save(config.parent_path() / "model.safetensors");
  for (const fs::path& path : {config, config.parent_path()}) {
    EXPECT_EQ(summarize_network(path).config, model.config());
  }
  EXPECT_EQ(summarize_network(config.parent_path()).kind, "a run");
  // A model beside an experiment of another name may belong to another run.
  refuse<ConfigError>(put("run/other.toml", kFiles), {"the network depends on the data"});
}

TEST_F(InspectTest, NothingThere) {
  put("model.safetensors", "");
  refuse<ConfigError>(folder_.path() / "modle.safetensors",
                      {"no such file or folder", "did you mean model.safetensors?"});
  refuse<ConfigError>(folder_.path() / "other", {"other: no such file or folder"});
  refuse<ConfigError>(folder_.path() / "missing" / "model", {"model: no such file or folder"});
  refuse<ConfigError>("", {": no such file or folder"});
}

TEST_F(InspectTest, NoNetworkThere) {
  refuse<ConfigError>(put("notes.txt", "some text"), {"expected a model", "*.toml"});
  refuse<ModelFileError>(put("model.safetensors", "some text"), {"header"});
  refuse<ConfigError>(put("bad.toml", "name"), {"bad.toml:1", "TOML"});
  refuse<ConfigError>(put("wide.toml", std::string(kExperiment) + "dropout = 1.5\n"),
                      {"dropout is 1.5"});
  refuse<ConfigError>(put("empty/notes.txt", "").parent_path(), {"without a config.toml"});
}

TEST_F(InspectTest, TheTextOfANetworkAddsItsParametersUp) {
  const Model model({.inputs = 3, .units = 400, .outputs = 2});
  model.save(folder_.path() / "model.safetensors");
  const std::string text = to_text(summarize_network(folder_.path() / "model.safetensors"));
  EXPECT_NE(text.find(report::in_thousands(static_cast<std::int64_t>(model.parameter_count()))),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("cell rwa, readout last"), std::string::npos) << text;
}

TEST_F(InspectTest, Data) {
  const fs::path file = put("data.csv", "id,u,v,label\na,1,2,no\na,3,,no\nb,-1,0,yes\n");
  EXPECT_FALSE(is_network(file));
  const DataSummary data = summarize_data({.train = {file.string()}});
  EXPECT_EQ(data.schema.features, (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(data.labels, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(data.statistics.sequences, 2);
  EXPECT_EQ(data.statistics.labels, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(data.statistics.missing, (std::vector<std::int64_t>{0, 1}));
  ASSERT_EQ(data.first.size(), 2U);
  EXPECT_EQ(data.first[0].second.id, "a");
  const std::string text = to_text(data);
  for (const char* part : {"2 of 1 to 2 steps", "class: \"label\" has 2 words", "data.csv:2", "-1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace rwa::workflows
