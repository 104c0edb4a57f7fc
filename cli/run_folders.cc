#include "run_folders.h"

#include <set>

#include <fmt/format.h>

#include "rwa/errors.h"
#include "say.h"

namespace rwa::cli {

std::vector<training::Record> read_runs(const std::vector<std::filesystem::path>& roots) {
  std::vector<training::Record> records;
  std::set<std::filesystem::path> seen;
  for (const auto& root : roots) {
    bool is_empty = true;
    for (const auto& folder : training::find_runs(root)) {
      try {
        if (seen.insert(std::filesystem::canonical(folder)).second) {
          records.push_back(training::read_run(folder));
        }
        is_empty = false;
      } catch (const Error& error) {
        say("skipped: {}\n", error.what());
      }
    }
    if (!is_empty) continue;
    throw InputError(fmt::format(
        "{}: no runs found, expected folders with a {}, as rwa train and rwa paper run write them",
        root.string(), training::kConfigFile));
  }
  return records;
}

}  // namespace rwa::cli
