#include "workflows/memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "report/text.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// The number, in bytes, of the line of /proc/meminfo that begins with `name`.
std::size_t of_machine(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::size_t kilobytes = 0;
    if (word == name && file >> kilobytes) return kilobytes << 10;
  }
  return kUnlimited;
}

// Reads a file with one number; "max" or no file means no limit.
std::size_t of_group(const char* path) {
  std::ifstream file(path);
  std::size_t bytes = 0;
  return file >> bytes ? bytes : kUnlimited;
}

std::string in_gigabytes(std::size_t bytes) {
  return fmt::format("{} bytes ({:.1f} GiB)", bytes, static_cast<double>(bytes) / (1 << 30));
}

}  // namespace

BatchFit fit_batch(const ModelConfig& config, int longest, int batch, std::size_t bytes) {
  const auto fits = [&](int count, Memory memory) {
    return training_memory(config, longest, count, memory) <= bytes;
  };
  if (fits(batch, Memory::kFull)) return {Memory::kFull, batch};
  for (int count = batch; count >= 1; count = count == 1 ? 0 : (count + 1) / 2) {
    if (fits(count, Memory::kChunked)) return {Memory::kChunked, count};
  }
  throw ResourceError(fmt::format(
      "training on one sequence of {} needs {}, but {} are available; use --window N to cut "
      "sequences into windows of N steps, or --truncate N to backpropagate through N steps",
      report::counted(longest, "step"),
      in_gigabytes(training_memory(config, longest, 1, Memory::kChunked)), in_gigabytes(bytes)));
}

std::size_t available_memory() {
  const std::size_t machine = of_machine("MemAvailable:");
  const std::size_t most = of_group("/sys/fs/cgroup/memory.max");
  const std::size_t used = of_group("/sys/fs/cgroup/memory.current");
  if (most == kUnlimited || used == kUnlimited) return machine;
  return std::min(machine, most - std::min(most, used));
}

}  // namespace rwa::workflows
