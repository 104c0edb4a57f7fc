#include "paper_command.h"

#include <fmt/format.h>

#include "commands.h"
#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick      three experiments, both models: a few minutes on two cores\n"
    "  rwa paper report runs      the page with figures and claims, of what has been run so far\n"
    "  rwa paper results runs     small files for a repository, which can be reported too\n"
    "\n"
    "'rwa paper COMMAND --help' says more about a command.";

}  // namespace

void add_paper_command(CLI::App& app) {
  auto* paper =
      app.add_subcommand("paper", "The paper's experiments and others, figures and claims");
  paper->require_subcommand(0, 1);
  paper->footer(kExample);
  add_paper_list(*paper);
  add_paper_run(*paper);
  add_paper_report(*paper);
  add_paper_data(*paper);
  add_paper_results(*paper);
  add_paper_gradients(*paper);
}

CLI::Option* add_folder(CLI::App& command, const std::string& name, std::filesystem::path& folder,
                        const std::string& description) {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "found '', expected a folder" : "");
  };
  return command.add_option(name, folder, description)->check(CLI::Validator(check, ""));
}

std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots) {
  std::vector<training::Record> records;
  for (const auto& root : roots) {
    const std::size_t before = records.size();
    for (const auto& folder : training::find_runs(root)) {
      try {
        records.push_back(training::read_run(folder));
      } catch (const Error& error) {  // the others can still be read
        say("left out: {}\n", error.what());
      }
    }
    if (records.size() == before) {
      throw InputError(fmt::format(
          "{}: no runs found, expected folders with a {}, as rwa paper run --out {} makes them",
          root.string(), training::kConfigFile, root.string()));
    }
  }
  return records;
}

}  // namespace rwa::cli
