// cli/outputs.h: refuses to write over what is read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rwa::cli {

// Throws ConfigError if what `option` names is one of the inputs, under whatever path. An empty
// path, standard output, is none.
void refuse_input(const std::string& option, const std::filesystem::path& out,
                  const std::vector<std::filesystem::path>& inputs);
// The same, also for the file of a model that is given by its run folder.
void refuse_input(const std::string& option, const std::filesystem::path& out,
                  const std::filesystem::path& model, std::vector<std::filesystem::path> inputs);

}  // namespace rwa::cli
