// fuzz/replay_main.cc: runs every seed and every past crash through its target. Needs no libFuzzer,
// so it runs with the tests.
//
//     fuzz_seeds fuzz/seeds
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.h"

namespace {
namespace fs = std::filesystem;

std::vector<fs::path> content(const fs::path& folder) {
  std::vector<fs::path> paths(fs::directory_iterator(folder), fs::directory_iterator{});
  std::ranges::sort(paths);
  return paths;
}

void replay(const rwa::fuzz::Target& target, const fs::path& file) {
  std::cout << file.string() << std::endl;  // after a crash, the last line names the input
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  rwa::fuzz::run(target, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds FOLDER\n";
    return 2;
  }
  const std::vector<fs::path> folders = content(argv[1]);
  for (const fs::path& folder : folders) {
    const rwa::fuzz::Target* target = rwa::fuzz::find_target(folder.filename().string());
    const std::vector<fs::path> seeds = content(folder);
    if (target == nullptr || seeds.empty()) {
      std::cerr << folder << ": found no target of this name, or no seeds, expected both\n";
      return 1;
    }
    for (const fs::path& seed : seeds) replay(*target, seed);
  }
  if (folders.size() == rwa::fuzz::count_targets()) return 0;
  std::cerr << "found " << folders.size() << " folders, expected one for each of the "
            << rwa::fuzz::count_targets() << " targets\n";
  return 1;
}
