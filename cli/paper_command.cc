#include "paper_command.h"

#include "commands.h"

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

}  // namespace rwa::cli
