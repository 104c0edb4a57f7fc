// tests/paper/learned_test.cc: verdicts on models expected to learn a task, and on others.
#include "paper/learned.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "paper_testing.h"

namespace rwa::paper {
namespace {

using report::Mark;

// A task of the catalogue with two models, one of which should learn it.
Entry demonstration() {
  Entry entry = find("adding-100");
  entry.models = {{.name = "right", .network = {}, .right = true},
                  {.name = "wrong", .network = {}}};
  return entry;
}

void add(Library& ours, const std::string& model, std::int64_t at, bool to_the_end) {
  Evidence made = evidence(turning(at, 2000, {0, .17, {}}, {0, .001, {}}), 1 / 6.0);
  if (to_the_end) made.final = Point{50'000, .001, {}};
  ours[{"adding-100", "text", model}].push_back(made);
}

Mark verdict(const std::string& model, std::int64_t at, bool to_the_end) {
  Library ours;
  add(ours, model, at, to_the_end);
  const auto rows = expectations_of(demonstration(), ours).rows;
  EXPECT_EQ(rows.size(), 1U);
  return rows.at(0).back().mark;
}

TEST(Expectations, AreMetByLearningOrByNotLearning) {
  EXPECT_EQ(verdict("right", 500, true), Mark::kYes);
  EXPECT_EQ(verdict("right", 9000, true), Mark::kNo);
  EXPECT_EQ(verdict("wrong", 500, true), Mark::kNo);
  EXPECT_EQ(verdict("wrong", 9000, true), Mark::kYes);
}

TEST(Expectations, AreOpenUntilTheEndUnlessItIsLearned) {
  EXPECT_EQ(verdict("right", 500, false), Mark::kYes);
  EXPECT_EQ(verdict("right", 9000, false), Mark::kOpen);
  EXPECT_EQ(verdict("wrong", 500, false), Mark::kNo);
  EXPECT_EQ(verdict("wrong", 9000, false), Mark::kOpen);
}

TEST(Expectations, HaveARowForEachModelThatWasRun) {
  Library ours;
  add(ours, "right", 500, true);
  add(ours, "wrong", 9000, true);
  const report::Table table = expectations_of(demonstration(), ours);
  ASSERT_EQ(table.rows.size(), 2U);
  std::vector<std::string> texts;
  for (const auto& cell : table.rows[1]) texts.push_back(cell.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"wrong", "no", "not within 2,000 steps", "yes"}));
  EXPECT_TRUE(expectations_of(find("adding-100"), ours).rows.empty());  // no expectations
}

}  // namespace
}  // namespace rwa::paper
