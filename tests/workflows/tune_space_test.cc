// tests/workflows/tune_space_test.cc: tests what candidates differ in.
#include "workflows/tune_space.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "workflows/tune.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

using training::Experiment;
using training::Overrides;

class TuneSpace : public ::testing::Test {
 protected:
  // The first of many candidates for a table of 40 sequences.
  [[nodiscard]] std::vector<Experiment> candidates(Target target, const std::string& toml = "",
                                                   int count = 100) const {
    io::put(folder_.path() / "data.csv", long_table(40, target));
    return of_files(R"(id = "id"
features = ["u", "v"]
)" + std::string(target == Target::kNone      ? "task = 'forecast'"
                 : target == Target::kNumbers ? "target = ['height', 'weight']"
                                              : "target = ['answer']"),
                    toml, count);
  }
  [[nodiscard]] std::vector<Experiment> of_files(const std::string& task, const std::string& toml,
                                                 int count = 100) const {
    const TrainRequest request = {.settings = settings(task, toml)};
    const auto files = plan(request, datasets::Reading{}).files;
    std::vector<Experiment> made;
    for (const Candidate& each :
         make_candidates(request, files, count, nullptr, {.bytes = std::size_t{1} << 40})) {
      // A network of it can be made.
      (void)Model(training::model_config(each.experiment(), each.plan.files->shape()));
      made.push_back(each.experiment());
    }
    EXPECT_EQ(made.size(), static_cast<std::size_t>(count));
    return made;
  }
  [[nodiscard]] Overrides settings(const std::string& task, const std::string& toml) const {
    auto all = Overrides::parse(
        "[task]\ntrain = ['" + (folder_.path() / "data.csv").string() + "']\n" + task, "test");
    all.add(Overrides::parse(toml, "test"));
    return all;
  }
  static const datasets::FilesTask& task(const Experiment& experiment) {
    return training::files_task(experiment);
  }
  template <class Get>
  static auto values(const std::vector<Experiment>& all, Get get) {
    std::set<std::decay_t<decltype(get(all.front()))>> found;
    for (const Experiment& each : all) found.insert(get(each));
    return found;
  }

  io::TempFolder folder_;
};

TEST_F(TuneSpace, CandidateZeroHasTheDefaults) {
  const auto all = candidates(Target::kClass, "", 2);
  const auto request = TrainRequest{
      .settings = settings("id = 'id'\nfeatures = ['u', 'v']\ntarget = ['answer']", "")};
  EXPECT_EQ(all.front(), plan(request, datasets::Reading{}).runs.front().experiment);
  EXPECT_NE(all.back(), all.front());
}

// Candidates must not change between builds, so that results can be reproduced.
TEST_F(TuneSpace, IsAFunctionOfTheSeed) {
  const auto all = candidates(Target::kClass, "", 12);
  EXPECT_EQ(all, candidates(Target::kClass, "", 12));
  EXPECT_EQ(differences_in_words(all[11], all[0]),
            "32 units, bidirectional, stem 9 of 64 channels, no shift");
  EXPECT_NE(in_words(all[11]), in_words(candidates(Target::kClass, "seed = 2", 12)[11]));
}

TEST_F(TuneSpace, SingleChangesComeFirst) {
  const auto changes = [&](const std::string& toml) {
    const auto all = candidates(Target::kClass, toml, 9);
    std::vector<std::string> words;
    for (const Experiment& each : all) words.push_back(differences_in_words(each, all.front()));
    return words;
  };
  const auto all = changes("");
  const std::vector<std::string> expected = {
      "the same", "bidirectional, batch 16", "8 positions, shift 0.05", "scaled by sequence",
      "no shift", "stem 9,5 of 64 channels", "no positions, shift 0.1", "rwa-forget"};
  EXPECT_EQ(std::vector(all.begin(), all.begin() + 8), expected) << "what is usual is left out";
  EXPECT_EQ(changes("network.stem = '7'")[5], "no positions, shift 0.1") << "as is what is given";
}

TEST_F(TuneSpace, HasWhatMatters) {
  const auto all = candidates(Target::kClass);
  const auto sizes = [&](auto get) { return values(all, get).size(); };
  EXPECT_EQ(values(all, [](auto& e) { return e.network.stem; }),
            (std::set<std::string>{"", "15", "15,9", "15,9,5", "9", "9,5"}));
  EXPECT_EQ(values(all, [](auto& e) { return task(e).context; }), (std::set{1, 5, 15}));
  EXPECT_EQ(values(all, [](auto& e) { return task(e).positions; }), (std::set{0, 8, 16}));
  EXPECT_EQ(values(all, [](auto& e) { return task(e).scale; }),
            (std::set<std::string>{"data", "sequence"}));
  EXPECT_EQ(values(all, [](auto& e) { return e.network.units; }), (std::set{32, 64, 128}));
  EXPECT_EQ(values(all, [](auto& e) { return e.training.batch; }), (std::set{8, 16}));
  EXPECT_EQ(sizes([](auto& e) { return e.network.cell; }), tuned_cells().size());
  EXPECT_EQ(sizes([](auto& e) { return e.network.bidirectional; }), 2U);
  EXPECT_GE(sizes([](auto& e) { return e.network.readout; }), 3U);
  EXPECT_GE(sizes([](auto& e) { return e.network.dropout; }), 3U);
  EXPECT_GE(sizes([](auto& e) { return e.training.noise; }), 4U);
  EXPECT_EQ(sizes([](auto& e) { return e.training.shift; }), 4U);
  EXPECT_GT(sizes([](auto& e) { return e.training.learning_rate; }), 10U);
}

// A stem or a context widens the steps, never both.
TEST_F(TuneSpace, HasNothingThatDoesNotGoTogether) {
  for (const Experiment& each : candidates(Target::kClass)) {
    EXPECT_TRUE(task(each).context == 1 || training::parse_stem(each.network.stem).empty());
    EXPECT_TRUE(each.network.layers > 1 || each.network.dropout == 0);
  }
  for (const Experiment& each : candidates(Target::kClass, "training.truncate = 2")) {
    EXPECT_FALSE(each.network.bidirectional);
    EXPECT_EQ(each.network.readout, Readout::kLast);
  }
  for (const Experiment& each : candidates(Target::kClassPerStep)) {
    EXPECT_EQ(task(each).scale, "data");  // later steps would be seen
    EXPECT_FALSE(each.network.bidirectional);
  }
  for (const Experiment& each : candidates(Target::kNone)) EXPECT_EQ(task(each).scale, "data");
  (void)candidates(Target::kNumbers);
}

TEST_F(TuneSpace, SymbolsHaveAnEmbeddingInsteadOfAStem) {
  std::string text = "id\ttext\tlabel\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? "\tabba\tp\n" : "\tbaab\tq\n");
  }
  io::put(folder_.path() / "data.csv", text);
  const auto all = of_files("id = 'id'", "");
  EXPECT_EQ(values(all, [](auto& e) { return e.network.embedding; }), (std::set{0, 16, 32}));
  EXPECT_EQ(values(all, [](auto& e) { return e.network.stem; }).size(), 1U);
  EXPECT_EQ(values(all, [](auto& e) { return e.training.noise; }).size(), 1U);
}

TEST_F(TuneSpace, GivenSettingsStay) {
  const auto all = candidates(Target::kClass,
                              "[task]\nscale = 'none'\ncontext = 3\n[network]\ncell = 'gru'\n"
                              "layers = 1\n[training]\nnoise = 0.3");
  for (const Experiment& each : all) {
    EXPECT_EQ(task(each).scale, "none");
    EXPECT_EQ(task(each).context, 3);
    EXPECT_TRUE(training::parse_stem(each.network.stem).empty());
    EXPECT_EQ(each.network.cell, Cell::kGru);
    EXPECT_EQ(each.network.layers, 1);
    EXPECT_EQ(each.training.noise, 0.3);
  }
  for (const Experiment& each : candidates(Target::kClass, "network.stem = '7'")) {
    EXPECT_EQ(each.network.stem, "7");
    EXPECT_EQ(task(each).context, 1);
  }
}

TEST_F(TuneSpace, SaysWhatDiffers) {
  Experiment usual;
  usual.task = datasets::FilesTask{.positions = 16, .scale = "data"};
  usual.network.units = 64;
  usual.network.stem = "15,9";
  usual.network.channels = 32;
  usual.training = {.batch = 8, .learning_rate = 0.003, .noise = 0.2};
  EXPECT_EQ(
      in_words(usual),
      "rwa, 64 units, stem 15,9 of 32 channels, 16 positions, noise 0.2, learning rate 0.003, "
      "batch 8");
  Experiment other = usual;
  EXPECT_EQ(differences_in_words(other, usual), "the same");
  other.task = datasets::FilesTask{.context = 5, .positions = 0, .scale = "sequence"};
  other.network.stem = "none";
  other.network.layers = 2;
  other.training.noise = 0;
  EXPECT_EQ(differences_in_words(other, usual),
            "2 layers, no stem, context 5, no positions, scaled by sequence, no noise");
}

}  // namespace
}  // namespace rwa::workflows
