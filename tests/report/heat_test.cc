// tests/report/heat_test.cc: a coloured table, to the letter.
#include "report/heat.h"

#include <gtest/gtest.h>

namespace rwa::report {
namespace {

HeatTable table_of(std::size_t columns, const std::string& name) {
  HeatTable table{
      .rows_are = "truth", .columns_are = "said", .rows = {"<a>"}, .columns = {}, .cells = {{}}};
  for (std::size_t i = 0; i < columns; ++i) {
    table.columns.push_back(name);
    table.cells[0].push_back({"1", 0.25, false});
  }
  return table;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(HeatTable, HasNamesOnTwoSidesAndColoursByShare) {
  HeatTable table = table_of(2, "b & c");
  table.cells[0] = {{"7", 0.5, true}, {"", 1.5, false}};
  EXPECT_EQ(
      to_html(table),
      R"(<div class="scroll narrow" role="region" aria-label="Table" tabindex="0"><table class="heat">
<thead><tr><th>truth ↓ said →</th><th scope="col"><span>b &amp; c</span></th><th scope="col"><span>b &amp; c</span></th></tr></thead>
<tbody>
<tr><th scope="row">&lt;a&gt;</th><td class="good" style="--share:50%">7</td><td class="bad" style="--share:100%"></td></tr>
</tbody></table></div>
)");
}

TEST(HeatTable, ManyLongNamesStandUpright) {
  EXPECT_TRUE(contains(to_html(table_of(12, "long name")), "class=\"heat upright\""));
  EXPECT_FALSE(contains(to_html(table_of(12, "abcd")), "upright"));
  EXPECT_FALSE(contains(to_html(table_of(3, "long name")), "upright"));
}

}  // namespace
}  // namespace rwa::report
