#include "outputs.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "rwa/errors.h"
#include "training/run_folder.h"

namespace rwa::cli {

namespace fs = std::filesystem;

void refuse_input(const std::string& option, const fs::path& out,
                  const std::vector<fs::path>& inputs) {
  const bool is_read = std::ranges::any_of(inputs, [&](const fs::path& input) {
    std::error_code error;  // a path where there is nothing is no input
    return fs::equivalent(input, out, error);
  });
  if (!is_read) return;
  throw ConfigError(
      fmt::format("{} is {}, which is read, expected another path", option, out.string()));
}

void refuse_input(const std::string& option, const fs::path& out, const fs::path& model,
                  std::vector<fs::path> inputs) {
  inputs.push_back(model);
  inputs.push_back(model / training::kModelFile);
  refuse_input(option, out, inputs);
}

}  // namespace rwa::cli
