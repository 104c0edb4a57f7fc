#include "paper_command.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run --quick      three experiments, both models: a few minutes on two cores\n"
    "  rwa paper report runs      the page with figures and claims, of what has been run so far\n"
    "\n"
    "'rwa paper COMMAND --help' says more about a command.";

}  // namespace

void add_paper_command(CLI::App& app) {
  auto* paper = app.add_subcommand("paper", "The paper's nine experiments, its figures and claims");
  paper->require_subcommand(0, 1);
  paper->footer(kExample);
  add_paper_list(*paper);
  add_paper_run(*paper);
  add_paper_report(*paper);
  add_paper_data(*paper);
}

CLI::Option* add_folder(CLI::App& command, const std::string& name, std::filesystem::path& folder,
                        const std::string& description) {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "found '', expected a folder" : "");
  };
  return command.add_option(name, folder, description)->check(CLI::Validator(check, ""));
}

}  // namespace rwa::cli
