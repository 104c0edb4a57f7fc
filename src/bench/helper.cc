// src/bench/helper.cc: places to look, and an exec in a child.
#include "bench/helper.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace rwa::bench {
namespace {

namespace fs = std::filesystem;

int execute(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  fmt::print(stderr, "{}: {}\n", words[0], std::generic_category().message(errno));
  return kCannotRun;
}

}  // namespace

std::optional<fs::path> find_helper(const std::string& name) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::array places = {folder / name, folder.parent_path() / "libexec" / "rwa" / name,
                             fs::path(RWA_BENCH_SOURCE_DIR "/peers") / name};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, ignored)) return place;
  }
  return std::nullopt;
}

std::string not_found(const std::string& name) {
  return fmt::format(
      "{} is neither beside the program nor in ../libexec/rwa ('make bench' builds it)", name);
}

Outcome run_helper(const std::vector<std::string>& words, double limit_seconds) {
  return run_child([&] { return execute(words); }, limit_seconds);
}

}  // namespace rwa::bench
