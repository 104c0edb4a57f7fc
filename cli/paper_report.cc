// cli/paper_report.cc: `rwa paper report`: run folders to a page, figures and tables.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "paper/external_files.h"
#include "paper/report.h"
#include "paper_command.h"
#include "report/figure.h"
#include "report/page.h"
#include "report/table.h"
#include "say.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper report runs                       writes runs/report/index.html and its figures,\n"
    "                                              and summary.md, its tables as Markdown\n"
    "  rwa paper report runs --out page            into another folder\n"
    "  rwa paper report runs --markdown >claims.md\n"
    "\n"
    "'rwa paper data curves' fetches the authors' curves, which are then drawn behind ours.";

struct ReportOptions {
  fs::path runs, reference, out;
  bool markdown = false;
};

void write_figures(const std::vector<report::Figure>& figures, const fs::path& folder) {
  if (const std::string missing = report::missing_for_figures(); !missing.empty()) {
    say("no SVG and PNG figures: {}\n", missing);
    return;
  }
  for (const report::Figure& figure : figures) report::write_figure(figure, folder);
}

void write_report(const ReportOptions& options) {
  const auto records = read_runs({options.runs});
  const auto made = paper::make_report(records, paper::find_curves(options.reference));
  for (const std::string& run : made.left_out) say("left out: {}\n", run);
  const fs::path folder = options.out.empty() ? options.runs / "report" : options.out;
  fs::create_directories(folder);
  report::write_page(made.page, folder / "index.html");
  paper::write_summary(made, folder / "summary.md");
  write_figures(made.figures, folder);
  const std::string where = fs::absolute(folder / "index.html").lexically_normal().string();
  if (options.markdown) {
    fmt::print("{}", report::to_markdown(made.claims));
    say("The page: {}\n", where);
  } else {
    if (!made.claims.rows.empty()) fmt::print("{}\n", report::to_text(made.claims));
    if (const auto count = made.claims_not_run.rows.size(); count > 0) {
      fmt::print("{} more claims are on the page: these runs cannot answer them.\n", count);
    }
    fmt::print("The page: {}\n", where);
  }
}

}  // namespace

void add_paper_report(CLI::App& paper) {
  auto options = std::make_shared<ReportOptions>();
  auto* command = paper.add_subcommand("report", "A page, figures and the table of claims of runs");
  add_folder(*command, "DIR", options->runs, "Folder with runs")->required();
  add_folder(*command, "--reference", options->reference,
             "Folder with the authors' curves (default: the cache, where they are)");
  add_folder(*command, "--out", options->out, "Folder to write to (default: DIR/report)");
  command->add_flag("--markdown", options->markdown, "Print the claims as Markdown");
  command->footer(kExample);
  command->callback([options] { write_report(*options); });
}

}  // namespace rwa::cli
