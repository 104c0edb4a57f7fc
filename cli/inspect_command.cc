#include "inspect_command.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "report/table.h"
#include "run/described.h"
#include "rwa/model.h"
#include "words.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa inspect model.safetensors           a model that was saved\n"
    "  rwa inspect experiment.toml             the network that an experiment would train\n"
    "  rwa inspect runs/grammar/rwa-seed1      that of a run\n"
    "\n"
    "Shapes: T steps, B sequences; of a decoder S steps.";

std::string in_groups(std::size_t number) { return count(static_cast<std::int64_t>(number)); }

void inspect(const std::filesystem::path& path) {
  const auto [kind, config, parts] = run::read_described(path);
  report::Table table{.header = {"part", "what", "output", "parameters"}, .rows = {}};
  std::size_t parameters = 0;
  for (const Part& part : parts) {
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

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto path = std::make_shared<std::filesystem::path>();
  auto* command = app.add_subcommand("inspect", "The parts of a network, and their parameters");
  command->add_option("PATH", *path, "A model, an experiment (*.toml), or the folder of a run")
      ->required();
  command->footer(kExample);
  command->callback([path] { inspect(*path); });
}

}  // namespace rwa::cli
