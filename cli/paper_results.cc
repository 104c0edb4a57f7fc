// cli/paper_results.cc: `rwa paper results`: stores runs as small files for a repository.
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "paper/results.h"
#include "paper_command.h"
#include "report/table.h"
#include "report/text.h"
#include "run_folders.h"
#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper results runs                  Write to paper/results, a few kilobytes per run\n"
    "  rwa paper results runs more --out kept\n"
    "  rwa paper report paper/results          Report the stored results\n"
    "\n"
    "Stores the evaluations that figures and claims need, and no weights. The verdict on each "
    "claim\n"
    "stays the same. Stored results with more training steps are not replaced.";

struct ResultsOptions {
  std::vector<fs::path> runs;
  fs::path out = "paper/results";
};

void keep_results(const ResultsOptions& options) {
  const auto results = paper::write_results(read_runs(options.runs), options.out);
  for (const std::string& run : results.left_out) say("skipped: {}\n", run);
  if (results.written.rows.empty())
    throw InputError("found nothing to store: every run was skipped");
  const auto count = static_cast<std::int64_t>(results.written.rows.size());
  fmt::print("{}\n{}, {:.1f} KB, in {}\n", report::to_text(results.written),
             report::counted(count, "run"), static_cast<double>(results.bytes) / 1000,
             options.out.string());
}

}  // namespace

void add_paper_results(const Command& paper) {
  auto options = std::make_shared<ResultsOptions>();
  const auto command = paper.add_command("results", "Keep small copies of runs, without weights");
  command.add_option("RUNS", options->runs, "Folders with runs").required().must_be_folder();
  command.add_option("--out", options->out, "Folder to write to").show_default();
  command.set_footer(kExample);
  command.set_action([options] { keep_results(*options); });
}

}  // namespace rwa::cli
