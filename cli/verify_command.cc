// cli/verify_command.cc: `rwa verify`: check that a file is complete.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "workflows/inspect.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa verify model.safetensors     a model: its network, every weight, what it knows of its "
    "data\n"
    "  rwa verify runs/vowels           a run: its configuration, checkpoint and model\n"
    "  rwa verify vowels.csv            data: every line of it\n"
    "\n"
    "Exit code 0 where all is well, 3 for bad data, 4 for a bad model or checkpoint.";

}  // namespace

void add_verify_command(CLI::App& app) {
  auto paths = std::make_shared<std::vector<std::filesystem::path>>();
  auto* command = app.add_subcommand("verify", "Read a file to its end and check it");
  command->add_option("FILE", *paths, "Models, checkpoints, folders of runs, data")->required();
  command->footer(kExample);
  command->callback([paths] {
    for (const auto& path : *paths) fmt::print("{}: {}\n", path.string(), workflows::verify(path));
  });
}

}  // namespace rwa::cli
