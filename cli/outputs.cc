#include "outputs.h"

#include <system_error>

#include <fmt/format.h>

#include "io/quote.h"
#include "rwa/errors.h"
#include "training/run_folder.h"

namespace rwa::cli {

namespace fs = std::filesystem;

namespace {

// Of a path where there is nothing, false.
bool are_same(const fs::path& out, const fs::path& input) {
  std::error_code error;
  return fs::equivalent(out, input == "-" ? "/dev/stdin" : input, error);
}

bool is_within(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  fs::path at = fs::weakly_canonical(fs::absolute(path, error), error);
  while (at.has_relative_path() && !are_same(at, folder)) at = at.parent_path();
  return at.has_relative_path();
}

[[noreturn]] void refuse(const std::string& option, const fs::path& out, const std::string& why) {
  throw ConfigError(
      fmt::format("{} is {}, {}, expected another path", option, io::escape(out.string()), why));
}

}  // namespace

void refuse_input(const std::string& option, const fs::path& out,
                  const std::vector<fs::path>& inputs) {
  if (out.empty()) return;
  for (const fs::path& input : inputs) {
    if (are_same(out, input)) refuse(option, out, "which is read");
    if (!is_within(out, input)) continue;
    refuse(option, out, fmt::format("in {}, which is read", io::escape(input.string())));
  }
  if (training::is_file_of_run(out)) refuse(option, out, "which is a file of a run");
}

void refuse_input(const std::string& option, const fs::path& out, const fs::path& model,
                  const std::vector<fs::path>& inputs) {
  if (are_same(out, model) || are_same(out, model / training::kModelFile)) {
    refuse(option, out, "which is read");
  }
  refuse_input(option, out, inputs);
}

void refuse_file(const std::string& option, const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out, error) || fs::is_directory(out, error)) return;
  throw ConfigError(
      fmt::format("{} is {}, a file, expected a folder", option, io::escape(out.string())));
}

}  // namespace rwa::cli
