// cli/paper_data.cc: `rwa paper data`: downloads data; the only command that uses the network.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "paper/external_files.h"
#include "paper_command.h"
#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa paper data mnist                  Download to ~/.cache/rwa, where rwa paper run looks\n"
    "  rwa paper data mnist --out mnist      For rwa paper run mnist --data mnist\n"
    "  rwa paper data curves                 Download the authors' curves for rwa paper report";

struct DataOptions {
  std::string what;
  std::filesystem::path out;
};

void download(const DataOptions& options) {
  const bool mnist = options.what == "mnist";
  if (!mnist && options.what != "curves") {
    throw ConfigError(
        fmt::format("unknown data '{}', expected one of: mnist, curves", options.what));
  }
  const auto folder = options.out.empty() ? paper::cache_folder() / options.what : options.out;
  const auto tell = [](const std::string& line) { say("{}\n", line); };
  if (mnist) {
    paper::download_mnist(folder, tell);
  } else {
    paper::download_curves(folder, tell);
  }
  fmt::print("{}\n", folder.string());
}

}  // namespace

void add_paper_data(const Command& paper) {
  auto options = std::make_shared<DataOptions>();
  const auto command = paper.add_command("data", "Download MNIST or the authors' curves");
  command.add_option("WHAT", options->what, "mnist or curves").required();
  command.add_option("--out", options->out, "Folder to download to (default: ~/.cache/rwa)");
  command.set_footer(kExample);
  command.set_action([options] { download(*options); });
}

}  // namespace rwa::cli
