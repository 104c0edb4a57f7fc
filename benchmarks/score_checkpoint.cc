// benchmarks/score_checkpoint.cc: scores an unfinished run: evaluates its checkpoint on the whole
// test set, on the CPU. Usage: score_checkpoint RUN_FOLDER [MNIST_FOLDER]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "rwa/rwa.h"
#include "tasks/task.h"
#include "training/checkpoint.h"
#include "training/evaluation.h"
#include "training/run_folder.h"

namespace {

using namespace rwa;

training::Metric score(const training::Checkpoint& checkpoint, const std::filesystem::path& mnist) {
  const training::Experiment& experiment = checkpoint.experiment;
  const auto dataset = tasks::open_task(experiment.task, experiment.seed, mnist);
  Model model(training::model_config(experiment, dataset->shape()));
  Trainer trainer(model);
  training::restore(checkpoint, model, trainer);
  training::Evaluator evaluator(model, *dataset, {.threads = 2});
  training::Score sum;
  std::vector<std::int64_t> samples(static_cast<std::size_t>(experiment.training.batch));
  const std::int64_t size = dataset->size(datasets::Split::kTest);
  for (std::int64_t first = 0; first < size; first += experiment.training.batch) {
    samples.resize(
        static_cast<std::size_t>(std::min<std::int64_t>(experiment.training.batch, size - first)));
    std::iota(samples.begin(), samples.end(), first);
    sum += evaluator.score(datasets::Split::kTest, samples);
  }
  return training::to_metric(sum, dataset->shape().loss, checkpoint.state.step, "final");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    fmt::print(stderr, "usage: score_checkpoint RUN_FOLDER [MNIST_FOLDER]\n");
    return 2;
  }
  const auto checkpoint =
      training::read_checkpoint(std::filesystem::path(argv[1]) / training::kCheckpointFile);
  const training::Metric metric = score(checkpoint, argc > 2 ? argv[2] : "");
  fmt::print("{} {} {}\n", checkpoint.experiment.name, training::model_name(checkpoint.experiment),
             training::format_metric(metric));
} catch (const std::exception& error) {
  fmt::print(stderr, "score_checkpoint: {}\n", error.what());
  return 1;
}
