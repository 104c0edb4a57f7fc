// benchmarks/score_checkpoint.cc: how good a run is that has not come to its end: the network of its
// checkpoint on the whole test set, on the CPU. Usage: score_checkpoint RUN_FOLDER [MNIST_FOLDER]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "data/task.h"
#include "run/checkpoint.h"
#include "run/evaluate.h"
#include "run/folder.h"
#include "rwa/rwa.h"

namespace {

using namespace rwa;

run::Metric score(const run::Checkpoint& checkpoint, const std::filesystem::path& mnist) {
  const run::Experiment& experiment = checkpoint.experiment;
  const auto dataset = data::open_task(experiment.task, experiment.seed, mnist);
  Model model(run::model_config(experiment, dataset->shape()));
  Trainer trainer(model);
  run::restore(checkpoint, model, trainer);
  run::Evaluator evaluator(model, *dataset, {.threads = 2});
  run::Score sum;
  std::vector<std::int64_t> samples(static_cast<std::size_t>(experiment.training.batch));
  const std::int64_t size = dataset->size(data::Split::kTest);
  for (std::int64_t first = 0; first < size; first += experiment.training.batch) {
    samples.resize(
        static_cast<std::size_t>(std::min<std::int64_t>(experiment.training.batch, size - first)));
    std::iota(samples.begin(), samples.end(), first);
    sum += evaluator.score(data::Split::kTest, samples);
  }
  return run::to_metric(sum, dataset->shape().loss, checkpoint.state.step, "final");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    fmt::print(stderr, "usage: score_checkpoint RUN_FOLDER [MNIST_FOLDER]\n");
    return 2;
  }
  const auto checkpoint =
      run::read_checkpoint(std::filesystem::path(argv[1]) / run::kCheckpointFile);
  const run::Metric metric = score(checkpoint, argc > 2 ? argv[2] : "");
  fmt::print("{} {} {}\n", checkpoint.experiment.name, run::model_name(checkpoint.experiment),
             run::format_metric(metric));
} catch (const std::exception& error) {
  fmt::print(stderr, "score_checkpoint: {}\n", error.what());
  return 1;
}
