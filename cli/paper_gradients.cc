// cli/paper_gradients.cc: `rwa paper gradients`: how much of the loss reaches each step of a
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
    "  rwa paper report runs                       draws them\n"
    "\n"
    "Writes gradients.csv into the folder of each run: the root mean square of d loss / d h for "
    "each\n"
    "step, by a batch of test samples, of the network before training and after.";

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

void add_paper_gradients(CLI::App& paper) {
  auto options = std::make_shared<GradientsOptions>();
  auto* command =
      paper.add_subcommand("gradients", "How much of the loss reaches each step of a sequence");
  command->add_option("RUNS", options->runs, "Folders of finished runs")->required();
  add_folder(*command, "--data", options->data,
             "Folder with the files of MNIST (default: RWA_DATA, or the cache)");
  command->footer(kExample);
  command->callback([options] { write_gradients(*options); });
}

}  // namespace rwa::cli
