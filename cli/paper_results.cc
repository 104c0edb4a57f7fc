// cli/paper_results.cc: `rwa paper results`: what is kept of runs in a repository.
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "paper/results.h"
#include "paper_command.h"
#include "report/table.h"
#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper results runs                  into paper/results, some kilobytes a run\n"
    "  rwa paper results runs more --out kept\n"
    "  rwa paper report paper/results          the page, figures and claims of what was kept\n"
    "\n"
    "Weights are not kept, and of the evaluations only those that figures and claims need: a "
    "claim\n"
    "is judged the same by what is kept. Results of more steps are not replaced.";

struct ResultsOptions {
  std::vector<fs::path> runs;
  fs::path out = "paper/results";
};

void keep_results(const ResultsOptions& options) {
  const auto results = paper::write_results(read_runs(options.runs), options.out);
  for (const std::string& run : results.left_out) say("left out: {}\n", run);
  if (results.written.rows.empty())
    throw InputError("found nothing to keep, expected a run that is not left out");
  const auto count = results.written.rows.size();
  fmt::print("{}\n{} {}, {:.1f} KB, in {}\n", report::to_text(results.written), count,
             count == 1 ? "run" : "runs", static_cast<double>(results.bytes) / 1000,
             options.out.string());
}

}  // namespace

void add_paper_results(CLI::App& paper) {
  auto options = std::make_shared<ResultsOptions>();
  auto* command = paper.add_subcommand("results", "Keep runs as small files, for a repository");
  command->add_option("RUNS", options->runs, "Folders with runs")->required();
  add_folder(*command, "--out", options->out, "Folder to write to")->capture_default_str();
  command->footer(kExample);
  command->callback([options] { keep_results(*options); });
}

}  // namespace rwa::cli
