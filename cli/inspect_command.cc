#include "inspect_command.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "data_options.h"
#include "report/table.h"
#include "rwa/model.h"
#include "training/described.h"
#include "training/folder.h"
#include "words.h"
#include "workflows/look.h"

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

std::string in_groups(std::size_t number) { return count(static_cast<std::int64_t>(number)); }

void inspect_network(const std::filesystem::path& path) {
  const auto [kind, config, parts] = training::read_described(path);
  report::Table table{.header = {"part", "what", "output", "parameters"}, .rows = {}};
  std::size_t parameters = 0;
  for (const NetworkPart& part : parts) {
    table.rows.push_back({{part.name}, {part.what}, {part.shape}, {in_groups(part.parameters)}});
    parameters += part.parameters;
  }
  table.rows.push_back({{"total"}, {""}, {""}, {in_groups(parameters)}});
  fmt::print(
      "{}: {}\n\n{}\n"
      "{} bytes of weights; cell {}, readout {}, loss {}, seed {}\n",
      path.string(), kind, report::to_text(table), in_groups(parameters * sizeof(float)),
      to_string(config.cell), to_string(config.readout), to_string(config.loss), config.seed);
}

// Everything else is data.
bool is_network(const std::filesystem::path& path) {
  const auto ending = path.extension();
  if (ending == ".safetensors" || ending == ".toml") return true;
  return std::filesystem::exists(path / training::kConfigFile);
}

void inspect(const datasets::FilesTask& task) {
  if (task.train.size() == 1 && is_network(task.train.front())) {
    inspect_network(task.train.front());
  } else {
    fmt::print("{}", workflows::to_text(workflows::look(task)));
  }
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto task = std::make_shared<datasets::FilesTask>();
  auto* command =
      app.add_subcommand("inspect", "What data are taken for, or the parts of a network");
  add_data(*command, *task, "Data; or a model, an experiment (*.toml), or the folder of a run");
  command->footer(kExample);
  command->callback([task] { inspect(*task); });
}

}  // namespace rwa::cli
