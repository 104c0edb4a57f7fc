// benchmarks/trainer_overhead.cc: the cost of a run beyond its training steps: generating data,
// metrics, evaluations, checkpoints. Usage: trainer_overhead [STEPS [THREADS]]
//
// Steps of an adding-100 run alternate with bare steps of an equal trainer, so that other load on
// the machine affects both equally.
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "rwa/rwa.h"
#include "tasks/task.h"
#include "training/loop.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// Trains on one batch that is already in memory.
class BareTrainer {
 public:
  BareTrainer(const rwa::training::Experiment& experiment, int threads)
      : model_({.inputs = 2,
                .cell = experiment.network.cell,
                .units = experiment.network.units,
                .outputs = 1,
                .loss = rwa::Loss::kSquaredError}),
        trainer_(model_, {.session = {.threads = threads}}) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(experiment.training.batch));
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int64_t>(i);
    rwa::tasks::open_task(experiment.task, experiment.seed, {})
        ->fill(rwa::datasets::Split::kTrain, samples, batch_);
  }
  void step() { trainer_.step(batch_.sequences(), batch_.targets()); }

 private:
  rwa::Model model_;
  rwa::Trainer trainer_;
  rwa::datasets::Batch batch_;
};

void measure(rwa::Cell cell, std::int64_t steps, int threads) {
  const rwa::training::Experiment experiment{.name = "overhead",
                                             .task = rwa::tasks::AddingTask{},
                                             .network = {.cell = cell},
                                             .training = {.steps = steps},
                                             .evaluation = {}};
  const auto folder = std::filesystem::temp_directory_path() / "rwa-trainer-overhead";
  std::filesystem::remove_all(folder);
  BareTrainer bare(experiment, threads);
  double in_run = 0;
  double in_bare = 0;
  auto left = Clock::now();
  rwa::training::run(experiment, folder, {.threads = threads},
                     [&](const rwa::training::Progress& progress) {
                       const auto entered = Clock::now();
                       const bool scored_all = progress.test && progress.test->split == "final";
                       if (progress.step > 0 && !scored_all)
                         in_run += seconds_between(left, entered);
                       bare.step();
                       left = Clock::now();
                       if (progress.step > 0 && !scored_all)
                         in_bare += seconds_between(entered, left);
                     });
  std::filesystem::remove_all(folder);
  const double count = static_cast<double>(steps);
  fmt::print("{:5} bare step {:.2f} ms, in a run {:.2f} ms, overhead {:+.1f} %\n", to_string(cell),
             1000 * in_bare / count, 1000 * in_run / count, 100 * (in_run / in_bare - 1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t steps = argc > 1 ? std::atoll(argv[1]) : 600;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  for (const rwa::Cell cell : {rwa::Cell::kRwa, rwa::Cell::kLstm}) measure(cell, steps, threads);
}
