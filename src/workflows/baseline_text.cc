// src/workflows/baseline_text.cc: scores beside those of baselines, as tables and JSON.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "workflows/baseline.h"

namespace rwa::workflows {

std::vector<ScoreTable> tables(const Scores& scores, const std::vector<Baseline>& baselines,
                               std::size_t most_confused) {
  std::vector<ScoreTable> all = tables(scores, most_confused);
  report::Table& first = all.front().table;
  for (const Baseline& baseline : baselines) {
    first.header.push_back("baseline: " + baseline.name);
    const auto others = tables(baseline.scores, 0).front().table.rows;
    for (auto& row : first.rows) {
      const auto other =
          std::ranges::find(others, row[0].text, [](const auto& cells) { return cells[0].text; });
      row.push_back({other == others.end() ? "" : (*other)[1].text});
    }
  }
  return all;
}

std::string to_json(const std::vector<Baseline>& baselines) {
  using nlohmann::ordered_json;
  auto list = ordered_json::array();
  for (const auto& [name, scores] : baselines) {
    list.push_back({{"name", name}});
    list.back().update(ordered_json::parse(to_json(scores)));
  }
  return list.dump();
}

}  // namespace rwa::workflows
