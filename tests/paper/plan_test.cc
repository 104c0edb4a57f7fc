// tests/paper/plan_test.cc: the runs that follow from a request, and requests that are refused.
// tests/cli/paper_test.sh tests the checks of data and folders.
#include "paper/plan.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "paper/catalogue.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

std::vector<std::string> folders(const Request& request) {
  std::vector<std::string> names;
  for (const PlannedRun& run : plan(request)) names.push_back(run.folder.string());
  return names;
}

Request named(std::vector<std::string> names) {
  Request request;
  request.names = std::move(names);
  return request;
}

TEST(Plan, GoesExperimentByExperimentSeedBySeedModelByModel) {
  Request request = named({"grammar", "adding-100"});
  request.seeds = 2;
  request.seed = 7;
  EXPECT_EQ(folders(request),
            (std::vector<std::string>{"runs/grammar/rwa-seed7", "runs/grammar/lstm-seed7",
                                      "runs/grammar/rwa-seed8", "runs/grammar/lstm-seed8",
                                      "runs/adding-100/rwa-seed7", "runs/adding-100/lstm-seed7",
                                      "runs/adding-100/rwa-seed8", "runs/adding-100/lstm-seed8"}));
}

TEST(Plan, IsThePaperUnlessAskedOtherwise) {
  const auto runs = plan(named({"grammar"}));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].experiment, find("grammar").experiment);
  training::Experiment lstm = find("grammar").experiment;
  lstm.network.cell = Cell::kLstm;
  EXPECT_EQ(runs[1].experiment, lstm);
}

TEST(Plan, ChangesWhatIsAskedForAndNothingElse) {
  Request request = named({"copy-100"});
  request.models = {"lstm"};
  request.variant = "script";
  request.steps = 123;
  request.out = "elsewhere";
  const auto runs = plan(request);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].folder, "elsewhere/copy-100-script/lstm-seed1");
  training::Experiment expected = in_variant(find("copy-100"), "script");
  expected.network.cell = Cell::kLstm;
  expected.training.steps = 123;
  EXPECT_EQ(runs[0].experiment, expected);
}

TEST(Plan, AllIsThePaperWithBothModels) {
  const auto runs = plan(named({"all"}));
  EXPECT_EQ(runs.size(), 2U * 9U);
  for (const PlannedRun& run : runs) EXPECT_TRUE(is_of_paper(find(run.experiment.name)));
}

TEST(Plan, AnyCellMayBeAskedFor) {
  Request request = named({"grammar"});
  request.models = {"gru", "rwa-forget"};
  EXPECT_EQ(folders(request),
            (std::vector<std::string>{"runs/grammar/gru-seed1", "runs/grammar/rwa-forget-seed1"}));
  EXPECT_EQ(plan(request)[1].experiment.network.cell, Cell::kRwaForget);
  request.models = {"gur"};
  io::expect_error<ConfigError>([&] { plan(request); }, {"'gur'", "grammar", "gru"});
}

TEST(Plan, OfAStudyHasEachCaseOnEachExperiment) {
  Request request = named({"figure-1"});
  EXPECT_EQ(
      folders(request),
      (std::vector<std::string>{
          "runs/adding-1000-figure-1/lstm-seed1", "runs/adding-1000-figure-1/lstm-attention-seed1",
          "runs/adding-1000-figure-1/rwa-seed1", "runs/mnist-figure-1/lstm-seed1",
          "runs/mnist-figure-1/lstm-attention-seed1", "runs/mnist-figure-1/rwa-seed1"}));
  const training::Experiment attention = plan(request)[1].experiment;
  EXPECT_EQ(attention.network.readout, Readout::kAttention);
  EXPECT_EQ(attention.network.cell, Cell::kLstm);
  EXPECT_EQ(attention.training.steps, 5000);
  EXPECT_EQ(attention.variant, "figure-1");

  request.models = {"rwa"};
  request.seed = 3;
  request.steps = 7;
  request.device = "cuda";
  const auto runs = plan(request);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].folder, "runs/mnist-figure-1/rwa-seed3");
  EXPECT_EQ(runs[1].experiment.training.steps, 7);
  EXPECT_EQ(runs[1].experiment.device, "cuda");
}

TEST(Plan, AStudyHasNoVariantsAndNoQuickLength) {
  Request request = named({"figure-1"});
  request.variant = "script";
  io::expect_error<ConfigError>([&] { plan(request); }, {"'figure-1'", "study", "variants"});
  request.variant.reset();
  request.quick = true;
  io::expect_error<ConfigError>([&] { plan(request); }, {"'figure-1'", "study", "quick"});
  request.quick = false;
  request.models = {"gru"};
  io::expect_error<ConfigError>([&] { plan(request); }, {"'gru'", "figure-1", "rwa"});
  io::expect_error<ConfigError>([] { plan(named({"figure-2"})); }, {"'figure-2'", "figure-1"});
}

TEST(Plan, SaysHowSeveralModelsAreGiven) {
  Request request = named({"forgetting", "rwa-forget-0.25", "gru"});
  request.models = {"rwa-forget-0"};
  io::expect_error<ConfigError>(
      [&] { plan(request); },
      {"'rwa-forget-0.25' is a model", "--model rwa-forget-0,rwa-forget-0.25,gru"});
  io::expect_error<ConfigError>([] { plan(named({"lstm"})); }, {"'lstm'", "--model lstm"});
}

TEST(Plan, QuickHasItsOwnNamesAndLengths) {
  Request request;
  request.quick = true;
  const auto runs = plan(request);
  ASSERT_EQ(runs.size(), 6u);
  for (const PlannedRun& run : runs) {
    EXPECT_EQ(run.experiment.training.steps, find(run.experiment.name).quick_steps);
  }
  request.names = {"copy-100"};
  io::expect_error<ConfigError>([&] { plan(request); }, {"'copy-100'", "adding-100"});
}

TEST(Plan, AFileIsRunAsItStands) {
  const io::TempFolder folder;
  training::Experiment experiment = find("length-100").experiment;
  experiment.name = "mine";
  experiment.seed = 5;
  const auto file = folder.path() / "mine.toml";
  io::put(file, training::format_experiment(experiment));
  const auto runs = plan(named({file.string()}));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].experiment, experiment);
  EXPECT_EQ(runs[0].folder, "runs/mine/rwa-seed5");

  Request request = named({file.string()});
  request.steps = 10;
  io::expect_error<ConfigError>([&] { plan(request); }, {file.string(), "--steps"});
  for (const char* name : {"", "..", "../mine", "a/b", "a\nb", ".hidden"}) {
    experiment.name = name;
    io::put(file, training::format_experiment(experiment));
    io::expect_error<ConfigError>([&] { plan(named({file.string()})); }, {file.string()});
  }
  experiment.name = "mine";
  experiment.model = "../rwa";
  io::put(file, training::format_experiment(experiment));
  io::expect_error<ConfigError>([&] { plan(named({file.string()})); }, {file.string(), "'../rwa'"});
}

TEST(Plan, SeedsEndWhereTheirNumbersDo) {
  Request request = named({"grammar"});
  request.seed = INT64_MAX;
  EXPECT_EQ(folders(request)[0], "runs/grammar/rwa-seed9223372036854775807");
  request.seeds = 2;
  io::expect_error<ConfigError>([&] { plan(request); }, {"--seed is 9223372036854775807"});
}

}  // namespace
}  // namespace rwa::paper
