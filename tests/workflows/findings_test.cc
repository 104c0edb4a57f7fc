// tests/workflows/findings_test.cc: tests the text about what was found in data.
#include "workflows/findings.h"

#include <string>

#include <gtest/gtest.h>

#include "workflows/inspect.h"

namespace rwa::workflows {
namespace {

formats::Findings findings() {
  formats::Findings found;
  found.columns = {{"machine", "id", "named like an id"}, {"time", "time", "named like a time"}};
  for (int i = 1; i <= 251; ++i) {
    found.columns.push_back({"att" + std::to_string(i), "feature", "numbers"});
  }
  found.columns.insert(
      found.columns.end(),
      {{"low", "target", "named so"}, {"high", "target", "named so"}, {"note", "ignored", ""}});
  found.task = "the target is numbers";
  found.warnings = {"the column time is not sorted", "only 4 sequences"};
  return found;
}

formats::Schema schema() {
  formats::Schema schema;
  schema.target = formats::Target::kNumbers;
  schema.targets = {"low", "high"};
  return schema;
}

TEST(Findings, ColumnsWithOneRoleAndReasonAreOneLine) {
  const report::Table table = columns_table(findings());
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_EQ(table.rows[0][0].text, "machine");
  EXPECT_EQ(table.rows[2][0].text, "att1 … att251");
  EXPECT_EQ(table.rows[2][2].text, "numbers");
  EXPECT_EQ(table.rows[3][0].text, "low, high");
  EXPECT_EQ(table.rows[4][1].text, "ignored");
  EXPECT_EQ(
      columns_in_words(findings()),
      "machine: id (named like an id); time: time (named like a time); att1 … att251: feature "
      "(numbers); low, high: target (named so); note: ignored");
  EXPECT_EQ(columns_in_words({}), "");
}

TEST(Findings, ATaskHasItsReason) {
  EXPECT_EQ(task_in_words(schema(), findings()), "numbers: the target is numbers");
  EXPECT_EQ(task_in_words(schema(), {}), "numbers, target low, high");
  formats::Findings why;
  why.task = "there is no other column";
  EXPECT_EQ(task_in_words({}, why), "forecast: there is no other column");
  EXPECT_EQ(task_in_words({}, {}), "forecast: found no target");
}

TEST(Findings, WarningsAreLines) {
  EXPECT_EQ(warnings_text(findings()),
            "warning: the column time is not sorted\nwarning: only 4 sequences\n");
  EXPECT_EQ(warnings_text({}), "");
}

TEST(Findings, InspectShowsThem) {
  DataSummary data;
  data.schema = schema();
  data.findings = findings();
  data.statistics.lengths = {{2, 1}};
  const std::string text = to_text(data);
  for (const char* part : {"\ntask       numbers: the target is numbers\n",
                           "\nwarning: only 4 sequences\n", "att1 … att251  feature  numbers"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  }
}

}  // namespace
}  // namespace rwa::workflows
