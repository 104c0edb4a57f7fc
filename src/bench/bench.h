// src/bench/bench.h: the whole of `rwa bench`: us, our peers and the machine's limits, side by
// side.
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
  double us_per_step = 0;  // the median of the rounds
  double us_min = 0;
  double us_max = 0;
  double gflops = 0;
  std::optional<double> peak_fraction;  // on the CPU
  std::int64_t peak_bytes = 0;
};

struct Report {
  std::string processor;
  std::map<int, double> peak_gflops;  // by the number of threads; of the CPU
  std::optional<Floors> floors;       // of a GPU
  std::vector<Row> rows;
  int failed = 0;  // of our own measurements, which have no row
};

// say: gets a line for each measurement done, each failure, and each peer left out.
// Call it while this process has a single thread. Throws ConfigError when check(plan) does, or when
// there is no such device.
Report run(const Plan& plan, const std::function<void(const std::string&)>& say);

}  // namespace rwa::bench
