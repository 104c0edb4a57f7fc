#include "paper_command.h"

#include <fmt/format.h>

#include "commands.h"
#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick      Run three experiments with both models (minutes on two cores)\n"
    "  rwa paper report runs      Write an HTML report: figures and claims\n"
    "  rwa paper results runs     Keep small copies of the runs, for a repository\n"
    "\n"
    "Run 'rwa paper COMMAND --help' for the options of a command.";

}  // namespace

void add_paper_command(const Command& app) {
  const auto paper =
      app.add_command("paper", "Reproduce the paper's experiments, figures and claims");
  paper.set_footer(kExample);
  add_paper_list(paper);
  add_paper_run(paper);
  add_paper_report(paper);
  add_paper_data(paper);
  add_paper_results(paper);
  add_paper_gradients(paper);
}

Option add_folder(const Command& command, const std::string& name, std::filesystem::path& folder,
                  const std::string& description) {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "found '', expected a folder" : "");
  };
  return command.add_option(name, folder, description).check(check);
}

std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots) {
  std::vector<training::Record> records;
  for (const auto& root : roots) {
    const std::size_t before = records.size();
    for (const auto& folder : training::find_runs(root)) {
      try {
        records.push_back(training::read_run(folder));
      } catch (const Error& error) {
        say("skipped: {}\n", error.what());
      }
    }
    if (records.size() == before) {
      throw InputError(fmt::format(
          "{}: no runs found, expected folders with a {}, as written by rwa paper run --out {}",
          root.string(), training::kConfigFile, root.string()));
    }
  }
  return records;
}

}  // namespace rwa::cli
