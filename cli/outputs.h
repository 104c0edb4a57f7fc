// cli/outputs.h: refuses to write over what is read, or over a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rwa::cli {

// Throws ConfigError if what `option` names is one of the inputs, under whatever path, or in one
// that is a folder, whose files are all data; and if it is a file of any run. An empty path,
// standard output, is none.
void refuse_input(const std::string& option, const std::filesystem::path& out,
                  const std::vector<std::filesystem::path>& inputs);
// The same, also for a model, given by its file or its run folder. Other files may be in there.
void refuse_input(const std::string& option, const std::filesystem::path& out,
                  const std::filesystem::path& model,
                  const std::vector<std::filesystem::path>& inputs);
// Throws ConfigError for what is there and is no folder.
void refuse_file(const std::string& option, const std::filesystem::path& out);

}  // namespace rwa::cli
