// cli/bench_command.h: `rwa bench`: us, our peers and the machine's limits, side by side.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/plan.h"

namespace rwa::cli {

struct BenchOptions {
  bench::Plan plan;
  std::vector<std::string> cells = {"rwa", "lstm"};
  std::vector<std::string> networks = {"layer"};
  std::vector<std::string> modes = {"forward", "train", "stream"};
  std::vector<std::string> memories = {"full", "chunked"};
  bool no_peers = false;
  bool quick = false;
  std::filesystem::path json;  // empty: none is written
};

void add_bench_command(CLI::App& app);
void run_bench(const BenchOptions& options);

}  // namespace rwa::cli
