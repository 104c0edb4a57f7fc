#include "backend/cpu/instruction_set.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "rwa/errors.h"

namespace rwa::cpu {
namespace {
struct Set {
  std::string_view name;
  std::int64_t target;
};
// From the plainest to the best. HWY_STATIC_TARGET is what the compiler may use anywhere.
constexpr std::array kSets = {Set{"baseline", HWY_STATIC_TARGET}, Set{"sse4", HWY_SSE4},
                              Set{"avx2", HWY_AVX2}, Set{"avx512", HWY_AVX3}};

std::string names() {
  std::string all;
  for (const auto& set : kSets) all += (all.empty() ? "" : ", ") + std::string(set.name);
  return all;
}

void obey(std::string_view wanted) {
  for (const auto& set : kSets) {
    if (set.name != wanted) continue;
    if (set.target != HWY_STATIC_TARGET && (hwy::SupportedTargets() & set.target) == 0) {
      throw ConfigError(fmt::format("RWA_CPU={} was asked for, but this machine lacks it", wanted));
    }
    hwy::SetSupportedTargetsForTest(set.target);
    return;
  }
  throw ConfigError(fmt::format("RWA_CPU={} is unknown, expected one of: {}", wanted, names()));
}
}  // namespace

void choose_instruction_set() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char* wanted = std::getenv("RWA_CPU"); wanted != nullptr) obey(wanted);
  });
}

std::string instruction_set() {
  choose_instruction_set();
  const std::int64_t supported = hwy::SupportedTargets();
  std::string_view best = kSets.front().name;
  for (const auto& set : kSets) {
    if ((supported & set.target) != 0) best = set.name;
  }
  return std::string(best);
}

}  // namespace rwa::cpu
