// cli/paper_gradients.cc: `rwa paper gradients`: measures the gradient that reaches each step of a
// sequence, for finished runs.
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "paper/gradients.h"
#include "paper_command.h"
#include "rwa/device.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper run gradient-flow\n"
    "  rwa paper gradients runs/adding-1000-gradient-flow/*\n"
    "  rwa paper report runs                       Plot them\n"
    "\n"
    "Writes gradients.csv to each run folder: the root mean square of d loss / d h at each step,\n"
    "over a batch of test samples, before and after training.";

struct GradientsOptions {
  std::vector<fs::path> runs;
  fs::path data;
};

void write_gradients(const GradientsOptions& options) {
  for (const fs::path& folder : options.runs) {
    const fs::path file = paper::write_gradients(folder, options.data, default_threads());
    fmt::print("{}\n", file.string());
  }
}

}  // namespace

void add_paper_gradients(const Command& paper) {
  auto options = std::make_shared<GradientsOptions>();
  const auto command =
      paper.add_command("gradients", "Measure the gradient that reaches each time step");
  command.add_option("RUNS", options->runs, "Folders of finished runs").required().must_be_folder();
  command
      .add_option("--data", options->data,
                  "Folder with the MNIST files (default: $RWA_DATA, or ~/.cache/rwa)")
      .must_be_folder();
  command.set_footer(kExample);
  command.set_action([options] { write_gradients(*options); });
}

}  // namespace rwa::cli
