// tests/paper/gradients_test.cc: gradients at the steps of a sequence, measured on a real run.
#include "paper/gradients.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "io/io_testing.h"
#include "paper/catalogue.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "tasks/task.h"
#include "training/loop.h"
#include "training/run_folder.h"

namespace rwa::paper {
namespace {

constexpr int kSteps = 6;
constexpr int kSamples = 5;

training::Experiment small_experiment() {
  training::Experiment experiment = find("adding-100").experiment;
  experiment.task = tasks::AddingTask{.steps = kSteps, .train = 50, .test = 20};
  experiment.network.units = 3;
  experiment.training.steps = 4;
  experiment.training.batch = 5;
  experiment.training.learning_rate = 0.1;
  experiment.evaluation = {.every = 4, .samples = kSamples};
  return experiment;
}

// At the last step the loss depends on h only through the output layer, y = W h + b.
double size_at_end(const Model& model, const datasets::Batch& batch) {
  std::vector<float> y(kSamples);
  Session(model).run(batch.sequences(), y);
  double sum = 0;
  std::size_t count = 0;
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name != "output.weight") continue;
    for (std::size_t b = 0; b < y.size(); ++b) {
      for (const float weight : parameter.values) {
        const double derivative = 2 * (y[b] - batch.values[b]) * weight;
        sum += derivative * derivative;
        ++count;
      }
    }
  }
  return std::sqrt(sum / static_cast<double>(count));
}

TEST(Gradients, OfARunBeforeAndAfterTraining) {
  const io::TempFolder folder;
  const training::Experiment experiment = small_experiment();
  training::run(experiment, folder.path(), {}, [](const training::Progress&) {});
  const GradientFlow flow = measure_gradients(folder.path(), "", 1);
  ASSERT_EQ(flow.untrained.size(), static_cast<std::size_t>(kSteps));
  ASSERT_EQ(flow.trained.size(), static_cast<std::size_t>(kSteps));
  EXPECT_NE(flow.untrained, flow.trained);

  const auto samples = tasks::open_task(experiment.task, experiment.seed, "");
  datasets::Batch batch;
  samples->fill(datasets::Split::kTest, std::vector<std::int64_t>{0, 1, 2, 3, 4}, batch);
  const Model untrained(training::model_config(experiment, samples->shape()));
  const Model trained = Model::load(folder.path() / training::kModelFile);
  EXPECT_NEAR(flow.untrained.back() / size_at_end(untrained, batch), 1, 1e-4);
  EXPECT_NEAR(flow.trained.back() / size_at_end(trained, batch), 1, 1e-4);
}

TEST(Gradients, AreReadAsTheyWereWritten) {
  const GradientFlow flow{.untrained = {1e-12, 0.5}, .trained = {0, 2}};
  const std::string text = format_gradients(flow);
  EXPECT_EQ(text, "step,untrained,trained\n1,1e-12,0\n2,0.5,2\n");
  const GradientFlow read = parse_gradients(text, "g.csv");
  EXPECT_EQ(read.untrained, flow.untrained);
  EXPECT_EQ(read.trained, flow.trained);
}

TEST(Gradients, ThatAreDamagedAreRefused) {
  const auto refuse = [](const std::string& text, std::initializer_list<std::string_view> parts) {
    io::expect_error<InputError>([&] { parse_gradients(text, "g.csv"); }, parts);
  };
  const std::string header = "step,untrained,trained\n";
  refuse("", {"g.csv:1"});
  refuse("step,trained\n1,2\n", {"g.csv:1"});
  refuse(header + "1,2\n", {"g.csv:2"});
  refuse(header + "1,2,x\n", {"g.csv:2:5"});
  refuse(header + "1,2,3\n3,2,3\n", {"g.csv:3:1", "step 2"});
  refuse(header + "1,2,-3\n", {"g.csv:2:5", "0 or more"});
}

}  // namespace
}  // namespace rwa::paper
