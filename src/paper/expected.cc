#include "paper/expected.h"

#include <algorithm>

#include "paper/claims.h"
#include "paper/words.h"

namespace rwa::paper {
namespace {

using report::Mark;

// Of the run of an entry's model. All seeds that were trained to the end have to agree.
Mark verdict_of(bool right, const Known& learned, const std::vector<Evidence>& runs) {
  if (learned.exact()) return right ? Mark::kYes : Mark::kNo;
  const bool whole = std::ranges::all_of(
      runs, [](const Evidence& evidence) { return evidence.final.has_value(); });
  if (!whole) return Mark::kOpen;
  return right ? Mark::kNo : Mark::kYes;
}

std::string in_words(Mark verdict) {
  return verdict == Mark::kYes ? "yes" : verdict == Mark::kNo ? "no" : "open";
}

}  // namespace

report::Table expectations_of(const Entry& entry, const Library& ours) {
  report::Table table{.header = {"model", "expected", "learned at step", "as expected"},
                      .rows = {}};
  if (std::ranges::none_of(entry.models, &NamedModel::right)) return table;
  const Claim learns{.text = "", .source = "", .rwa = {}, .lstm = {}};
  for (const NamedModel& model : entry.models) {
    const Key key{entry.experiment.name, kText, model.name};
    const auto learned = measured(ours, key, learns);
    if (!learned) continue;
    const Mark verdict = verdict_of(model.right, *learned, ours.at(key));
    table.rows.push_back({{name_of(model.name)},
                          {model.right ? "learns it" : "does not"},
                          {beaten_in_words(ours, key)},
                          {in_words(verdict), verdict}});
  }
  return table;
}

}  // namespace rwa::paper
