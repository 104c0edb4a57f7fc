#include "training/checks.h"

#include <functional>
#include <variant>

#include <fmt/format.h>

#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/trainer.h"
#include "training/schedule.h"

namespace rwa::training {
namespace {

// The limits of the task, the network and the optimiser are known where these are made; they are
// the same on every device, and the CPU is there at once.
void check_limits(const Experiment& experiment, const datasets::Shape& shape, bool has_validation) {
  Model model(model_config(experiment, shape));
  const Trainer trainer(model, trainer_options(experiment.training, {}));
  if (experiment.evaluation.patience > 0 && !has_validation) {
    throw ConfigError(fmt::format("patience is {}, expected 0: there are no samples for validation",
                                  experiment.evaluation.patience));
  }
}

// An experiment need not come from a file, but must be one that could.
void check_all(const Experiment& experiment, const std::filesystem::path& folder,
               const std::function<void()>& check_data) try {
  (void)parse_experiment(format_experiment(experiment), "experiment");
  (void)find_device(experiment.device);
  check_schedule(experiment);
  check_data();
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{}: {}", folder.string(), error.what()));
} catch (const ResourceError& error) {
  throw ResourceError(fmt::format("{}: {}", folder.string(), error.what()));
}

}  // namespace

// No task but files has samples for validation.
void check_experiment(const Experiment& experiment, const std::filesystem::path& folder) {
  check_all(experiment, folder, [&] {
    if (std::holds_alternative<datasets::FilesTask>(experiment.task)) return;
    check_limits(experiment, tasks::facts(experiment.task).shape, false);
  });
}

void check_experiment(const Experiment& experiment, const datasets::Dataset& dataset,
                      const std::filesystem::path& folder) {
  check_all(experiment, folder, [&] {
    check_limits(experiment, dataset.shape(), dataset.size(datasets::Split::kValid) > 0);
  });
}

}  // namespace rwa::training
