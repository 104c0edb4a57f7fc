#include "base/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"

namespace rwa {
namespace {

constexpr std::size_t kMost = 3;

// Settings and commands that go by another name elsewhere, and their names here.
constexpr auto kElsewhere = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"batch-size", "batch"},
    {"fit", "train"},
    {"hidden", "units"},
    {"hidden-size", "units"},
    {"label", "target"},
    {"lr", "learning-rate"},
    {"model", "cell"},
    {"num-layers", "layers"},
    {"output", "out"},
    {"rnn", "cell"},
    {"serve", "stream"},
    {"test", "evaluate"},
    {"validation", "valid"},
});

std::string_view without_dashes(std::string_view option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

bool is_known_elsewhere_as(std::string_view name, std::string_view candidate) {
  return std::ranges::any_of(kElsewhere, [&](const auto& pair) {
    return is_name(without_dashes(name), pair.first) &&
           is_name(without_dashes(candidate), pair.second);
  });
}

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Edit distance with insertions, deletions, replacements and swaps of neighbours.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

bool is_beginning(std::string_view name, std::string_view whole) {
  return name.size() >= 2 && name.size() <= whole.size() &&
         std::equal(name.begin(), name.end(), whole.begin(), same);
}

}  // namespace

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    if (is_known_elsewhere_as(name, candidate)) {
      near.emplace_back(0, candidate);
      continue;
    }
    // Up to a third of the letters may be wrong.
    const std::size_t most = std::max<std::size_t>(1, std::min(name.size(), candidate.size()) / 3);
    const std::size_t longer = candidate.size() > name.size() ? candidate.size() - name.size()
                                                              : name.size() - candidate.size();
    // The difference in length is a cheap lower bound, and bounds the cost of a huge name.
    const bool beginning = is_beginning(name, candidate);
    if (!beginning && longer > most) continue;
    const std::size_t distance = slips(name, candidate);
    if (beginning || distance <= most) near.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  near.resize(std::min(near.size(), kMost));

  std::vector<std::string> names;
  names.reserve(near.size());
  for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  std::vector<std::string> near = nearest(name, known);
  if (near.empty()) return fmt::format(", expected one of: {}", fmt::join(known, ", "));
  const std::string last = std::move(near.back());
  near.pop_back();
  if (near.empty()) return fmt::format(", did you mean {}?", last);
  return fmt::format(", did you mean {} or {}?", fmt::join(near, ", "), last);
}

}  // namespace rwa
