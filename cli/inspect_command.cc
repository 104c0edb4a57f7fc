// cli/inspect_command.cc: `rwa inspect`: how data are read, or the parts of a network.
#include <CLI/CLI.hpp>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "settings_options.h"
#include "workflows/inspect.h"
#include "workflows/plan.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa inspect sensors.csv                 what data are taken for, and how to say otherwise\n"
    "  rwa inspect sensors.csv --target load --id machine\n"
    "  rwa inspect model.safetensors           a model that was saved\n"
    "  rwa inspect experiment.toml             the network that an experiment would train\n"
    "  rwa inspect runs/grammar/rwa-seed1      that of a run\n"
    "\n"
    "Shapes: T steps, B sequences; of a decoder S steps.";

void inspect(const datasets::FilesTask& task) {
  if (task.train.size() == 1 && workflows::is_network(task.train.front())) {
    const workflows::NetworkSummary network = workflows::summarize_network(task.train.front());
    fmt::print("{}: {}\n\n{}", task.train.front(), network.kind, workflows::to_text(network));
  } else {
    fmt::print("{}", workflows::to_text(workflows::summarize_data(task)));
  }
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto given = std::make_shared<GivenSettings>();
  auto* command =
      app.add_subcommand("inspect", "What data are taken for, or the parts of a network");
  given->add_options(*command, is_setting_of_reading);
  command->get_option("DATA")->description(
      "Data; or a model, an experiment (*.toml), or the folder of a run");
  command->get_option("DATA")->required();
  command->footer(kExample);
  command->callback([given] {
    inspect(std::get<datasets::FilesTask>(workflows::experiment_of(given->overrides()).task));
  });
}

}  // namespace rwa::cli
