// cli/inspect_command.cc: `rwa inspect`: shows how data is read, or the parts of a network.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "rwa/errors.h"
#include "settings_options.h"
#include "workflows/inspect.h"
#include "workflows/plan.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa inspect sensors.csv                 How the data is read, with guessed settings\n"
    "  rwa inspect sensors.csv --target load --id machine\n"
    "  rwa inspect model.safetensors           The network of a model\n"
    "  rwa inspect experiment.toml             The network that an experiment trains\n"
    "  rwa inspect runs/grammar/rwa-seed1      The network of a run\n"
    "\n"
    "In network shapes, T is the number of steps, B the number of sequences, and S the number of\n"
    "steps that a decoder outputs.";

void inspect(const datasets::FilesTask& task, const std::vector<std::string>& reading) {
  if (task.train.size() == 1 && workflows::is_network(task.train.front())) {
    if (!reading.empty()) {
      throw ConfigError(fmt::format("{}: found a network, expected data for {}", task.train.front(),
                                    fmt::join(reading, ", ")));
    }
    const workflows::NetworkSummary network = workflows::summarize_network(task.train.front());
    fmt::print("{}: {}\n\n{}", task.train.front(), network.kind, workflows::to_text(network));
  } else {
    fmt::print("{}", workflows::to_text(workflows::summarize_data(task)));
  }
}

}  // namespace

void add_inspect_command(const Command& app) {
  auto given = std::make_shared<GivenSettings>();
  const auto command =
      app.add_command("inspect", "Show how data is read, or the network of a model");
  given->add_options(command, is_setting_of_reading);
  command.option("DATA")
      .help("Data files; or a model, an experiment (*.toml) or a run folder")
      .required();
  command.set_footer(kExample);
  command.set_action([given] {
    inspect(training::files_task(workflows::experiment_of(given->overrides())), given->options());
  });
}

}  // namespace rwa::cli
