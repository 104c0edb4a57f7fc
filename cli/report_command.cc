// cli/report_command.cc: `rwa report`: compares runs.
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "outputs.h"
#include "report/page.h"
#include "report/table.h"
#include "run_folders.h"
#include "rwa/errors.h"
#include "workflows/comparison.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa report runs/vowels                  The runs of --repeat, --folds or rwa tune\n"
    "  rwa report runs/lstm runs/rwa           Any runs, found at any depth\n"
    "  rwa report runs --out page.html         Write to another file\n"
    "\n"
    "Runs whose settings are equal but for seed and fold count as repetitions: they have a mean "
    "and\n"
    "a deviation. The best comes first. On the page, a click on a column sorts, and each run "
    "links\n"
    "to its own report.";

struct ReportOptions {
  std::vector<fs::path> runs;
  fs::path out;  // empty: beside the runs
};

fs::path file_of(const ReportOptions& options, const workflows::RunComparison& found) {
  if (!options.out.empty()) return options.out;
  const fs::path folder =
      options.runs.size() == 1 ? options.runs.front() : fs::proximate(found.folder);
  return folder / workflows::kComparisonFile;
}

void report_runs(const ReportOptions& options) {
  if (!options.out.empty() && options.out.extension() != ".html") {
    throw ConfigError(
        fmt::format("--out is {}, expected a name that ends in .html", options.out.string()));
  }
  refuse_input("--out", options.out, {});
  const auto found = workflows::compare_runs(read_runs(options.runs));
  const fs::path file = file_of(options, found);
  report::write_page(workflows::comparison_page(found, fs::absolute(file).parent_path()), file);
  const report::Table groups = workflows::table_of_groups(found);
  fmt::print("{}report: {}\n",
             report::to_text(groups.rows.empty() ? workflows::table_of_runs(found) : groups),
             file.string());
}

}  // namespace

void add_report_command(const Command& app) {
  auto options = std::make_shared<ReportOptions>();
  const auto command =
      app.add_command("report", "Compare runs: scores, learning curves and settings on one page");
  command.add_option("DIR", options->runs, "Folders with runs").required().must_be_folder();
  command
      .add_option("--out", options->out,
                  "File to write (default: comparison.html in DIR; of several, in the folder that "
                  "all runs are in)")
      .value_name("FILE");
  command.set_footer(kExample);
  command.set_action([options] { report_runs(*options); });
}

}  // namespace rwa::cli
