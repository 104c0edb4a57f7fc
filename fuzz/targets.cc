#include "targets.h"

#include <algorithm>
#include <array>

#include "program.h"

namespace rwa::fuzz {
namespace {
std::array<std::span<const Target>, 4> all_targets() {
  return {readers(), files(), streams(), runs()};
}
}  // namespace

std::size_t count_targets() {
  std::size_t count = 0;
  for (const auto targets : all_targets()) count += targets.size();
  return count;
}

const Target* find_target(std::string_view name) {
  for (const auto targets : all_targets()) {
    const auto found = std::ranges::find(targets, name, &Target::name);
    if (found != targets.end()) return &*found;
  }
  return nullptr;
}

void run(const Target& target, Bytes input) {
  if (input.empty()) return;
  const std::uint8_t option = input.front();
  const Bytes rest = input.subspan(1);
  if ((option & kIsProgram) == 0) return target.run(option, rest);
  target.run(option & ~kIsProgram, written_by(rest));
}

}  // namespace rwa::fuzz
