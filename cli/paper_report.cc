// cli/paper_report.cc: `rwa paper report`: writes a page, figures and tables of runs.
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
#include "report/text.h"
#include "run_folders.h"
#include "say.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper report runs                       Write runs/report/index.html, its figures, and\n"
    "                                              its tables as Markdown (summary.md)\n"
    "  rwa paper report runs --out page            Write to another folder\n"
    "  rwa paper report runs --table claims        Print the claims as Markdown\n"
    "\n"
    "Run 'rwa paper data curves' first to plot the authors' curves for comparison.";

struct ReportOptions {
  fs::path runs, reference, out;
  std::string table;  // empty: write the report
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
  for (const std::string& run : made.left_out) say("skipped: {}\n", run);
  if (!options.table.empty()) {
    fmt::print("{}", paper::table_named(made, options.table));
    return;
  }
  const fs::path folder = options.out.empty() ? options.runs / "report" : options.out;
  report::write_page(made.page, folder / "index.html");
  paper::write_summary(made, folder / "summary.md");
  write_figures(made.figures, folder);
  const std::string where = fs::absolute(folder / "index.html").lexically_normal().string();
  if (!made.claims.rows.empty()) {
    fmt::print("{}\n{}.\n", report::to_text(made.claims), made.tally.in_words());
  }
  if (const auto count = made.claims_not_run.rows.size(); count > 0) {
    fmt::print("{} cannot be judged from these runs; the report lists them.\n",
               report::counted(static_cast<std::int64_t>(count), "more claim"));
  }
  fmt::print("Report: {}\n", where);
}

}  // namespace

void add_paper_report(const Command& paper) {
  auto options = std::make_shared<ReportOptions>();
  const auto command =
      paper.add_command("report", "Write an HTML report: figures, and which claims are reproduced");
  command.add_option("DIR", options->runs, "Folder with runs").required().must_be_folder();
  command
      .add_option("--reference", options->reference,
                  "Folder with the authors' curves (default: ~/.cache/rwa)")
      .must_be_folder();
  const auto out =
      command.add_option("--out", options->out, "Folder to write to (default: DIR/report)");
  command
      .add_option("--table", options->table,
                  "Print one table as Markdown and write nothing, such as scoreboard or claims "
                  "(an unknown name lists all)")
      .excludes(out);
  command.set_footer(kExample);
  command.set_action([options] { write_report(*options); });
}

}  // namespace rwa::cli
