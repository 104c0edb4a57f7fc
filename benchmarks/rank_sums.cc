// benchmarks/rank_sums.cc: times sums over ranks, from one value to 16 MiB; rank 0 prints the
// medians as one line of JSON. Usage: mpirun -n RANKS rank_sums
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/job.h"
#include "comm/ranks.h"

namespace {

constexpr std::size_t kLeastBytes = std::size_t{1} << 10;
constexpr std::size_t kMostBytes = std::size_t{1} << 24;
// Total bytes per size.
constexpr std::size_t kBytesInAll = std::size_t{1} << 28;
constexpr std::size_t kFewestSums = 21;
constexpr std::size_t kMostSums = 2001;
constexpr int kSumsBefore = 10;  // warm-up: allocates memory, opens connections

// The values are zeros and stay zeros.
template <class T>
double median_seconds(rwa::Ranks& ranks, std::span<T> values) {
  using Clock = std::chrono::steady_clock;
  const std::size_t count = std::clamp(kBytesInAll / values.size_bytes(), kFewestSums, kMostSums);
  for (int i = 0; i < kSumsBefore; ++i) ranks.sum(values);
  std::vector<double> seconds(count);
  for (double& one : seconds) {
    const auto begin = Clock::now();
    ranks.sum(values);
    one = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

void measure(rwa::Link& link) {
  rwa::Ranks ranks(&link);
  std::vector<std::string> sums;
  const auto note = [&](std::size_t bytes, double seconds) {
    sums.push_back(fmt::format(R"({{"bytes": {}, "seconds": {:.3e}}})", bytes, seconds));
  };
  double one = 0;
  note(sizeof(one), median_seconds(ranks, std::span(&one, 1)));
  std::vector<float> numbers(kMostBytes / sizeof(float));
  for (std::size_t bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 2) {
    note(bytes, median_seconds(ranks, std::span(numbers).first(bytes / sizeof(float))));
  }
  if (ranks.rank() > 0) return;
  fmt::print(R"({{"ranks": {}, "sums": [{}]}}{})", ranks.size(), fmt::join(sums, ", "), '\n');
}

}  // namespace

int main() {
  std::unique_ptr<rwa::Job> job;
  try {
    job = rwa::Job::join();
    if (job == nullptr) {
      fmt::print(stderr, "found one rank, expected several: use mpirun -n RANKS rank_sums\n");
      return 2;
    }
    measure(job->link());
  } catch (const std::exception& error) {
    if (job != nullptr) job->fail(error.what(), 1);
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
