// src/bench/bench.h: runs `rwa bench`: measures rwa, its peers and the machine's limits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/device.h"
#include "bench/plan.h"

namespace rwa::bench {

struct Row {
  Case what;
  double us_per_step = 0;  // median over the rounds
  double us_min = 0;
  double us_max = 0;
  double gflops = 0;
  std::optional<double> peak_fraction;  // CPU only
  std::int64_t peak_bytes = 0;
};

struct Report {
  std::string processor;
  std::map<int, double> peak_gflops;  // of the CPU, by number of threads
  std::optional<Floors> floors;       // of a GPU
  std::vector<Row> rows;
  std::string left_out;  // peers, see Peers::left_out()
  int failed = 0;  // number of rwa's own measurements that failed; they have no row
};

// say: gets a line for each measurement, failure and skipped peer. Call it while this process has a
// single thread. Throws ConfigError if check(plan) does, or if there is no such device.
Report run(const Plan& plan, const std::function<void(const std::string&)>& say);

}  // namespace rwa::bench
