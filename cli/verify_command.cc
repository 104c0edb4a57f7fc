// cli/verify_command.cc: `rwa verify`: checks that files are complete and valid.
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
    "  rwa verify model.safetensors     A model: its network, weights and data encoding\n"
    "  rwa verify runs/vowels           A run: its configuration, checkpoint and model\n"
    "  rwa verify vowels.csv            Data: every line\n"
    "\n"
    "Exit code: 0 if all files are valid, 3 for bad data, 4 for a bad model or checkpoint.";

}  // namespace

void add_verify_command(const Command& app) {
  auto paths = std::make_shared<std::vector<std::filesystem::path>>();
  const auto command = app.add_command("verify", "Check that files are complete and valid");
  command.add_option("FILE", *paths, "Models, checkpoints, run folders or data").required();
  command.set_footer(kExample);
  command.set_action([paths] {
    for (const auto& path : *paths) fmt::print("{}: {}\n", path.string(), workflows::verify(path));
  });
}

}  // namespace rwa::cli
