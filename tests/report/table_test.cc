// tests/report/table_test.cc: the exact text of a table in its three forms, and of a heat table.
#include <gtest/gtest.h>

#include "report/table.h"

namespace rwa::report {
namespace {

Table sample() {
  return {{"claim", "step", "ours"},
          {{{"naïve | \"<b>\""}, {"1,000"}, {"600", Mark::kYes}},
           {{"a\nb\x1b[31m"}, {"—"}, {"later", Mark::kNo}},
           {{""}, {"20"}, {"", Mark::kOpen}}}};
}

TEST(Table, TextHasColumnsThatAlignAndNumbersAtTheRight) {
  EXPECT_EQ(to_text(sample()),
            "claim           step  ours\n"
            "─────────────  ─────  ───────\n"
            "naïve | \"<b>\"  1,000  ✓ 600\n"
            "a b [31m           —  ✗ later\n"
            "                  20  …\n");
}

TEST(Table, MarkdownEscapesWhatWouldBeMarkup) {
  EXPECT_EQ(to_markdown(sample()),
            "| claim            |  step | ours    |\n"
            "| ---------------- | ----: | ------- |\n"
            "| naïve \\| \"\\<b\\>\" | 1,000 | ✓ 600   |\n"
            "| a b \\[31m        |     — | ✗ later |\n"
            "|                  |    20 | …       |\n");
}

TEST(Table, HtmlSaysInWordsWhatTheColoursSay) {
  EXPECT_EQ(to_html(sample()),
            R"(<div class="scroll narrow" role="region" aria-label="Table" tabindex="0"><table>
<thead><tr><th scope="col" class="text">claim</th><th scope="col" class="number">step</th><th scope="col" class="text">ours</th></tr></thead>
<tbody>
<tr><td class="text">naïve | &quot;&lt;b&gt;&quot;</td><td class="number">1,000</td><td class="text yes"><span role="img" aria-label="reproduced">✓</span> 600</td></tr>
<tr><td class="text">a b [31m</td><td class="number">—</td><td class="text no"><span role="img" aria-label="not reproduced">✗</span> later</td></tr>
<tr><td class="text"></td><td class="number">20</td><td class="text open"><span role="img" aria-label="undecided">…</span> </td></tr>
</tbody></table></div>
)");
}

TEST(Table, WithoutRowsHasAHeader) {
  EXPECT_EQ(to_text({{"claim", "ours"}, {}}), "claim  ours\n─────  ────\n");
  EXPECT_EQ(to_markdown({{"a"}, {}}), "| a   |\n| --- |\n");
}

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

TEST(Table, ThatSortsHasButtons) {
  const Table table{.header = {"<a>"}, .rows = {{{"1"}}}, .sorts = true};
  const std::string html = to_html(table);
  EXPECT_NE(html.find("<table class=\"sorts\">"), std::string::npos);
  EXPECT_NE(html.find("<button type=\"button\">&lt;a&gt;</button></th>"), std::string::npos);
}

TEST(HeatTable, HasNamesOnTwoSidesAndColoursByShare) {
  HeatTable table = table_of(2, "b & c");
  table.cells[0] = {{"7", 0.5, true}, {"", 1.5, false}};
  table.good_is = "right";
  table.bad_is = "<wrong>";
  table.share_of = "Share of the row";
  EXPECT_EQ(
      to_html(table),
      R"(<div class="scroll narrow" role="region" aria-label="Table" tabindex="0"><table class="heat">
<thead><tr><th>truth ↓ said →</th><th scope="col"><span>b &amp; c</span></th><th scope="col"><span>b &amp; c</span></th></tr></thead>
<tbody>
<tr><th scope="row">&lt;a&gt;</th><td class="good" style="--share:50%">7</td><td class="bad" style="--share:100%"></td></tr>
</tbody></table></div>
<p class="key">Share of the row: 0 % <i class="good"></i> 100 % right, <i class="bad"></i> &lt;wrong&gt;</p>
)");
}

TEST(HeatTable, ManyLongNamesStandUpright) {
  EXPECT_TRUE(contains(to_html(table_of(12, "long name")), "class=\"heat upright\""));
  EXPECT_FALSE(contains(to_html(table_of(12, "abcd")), "upright"));
  EXPECT_FALSE(contains(to_html(table_of(3, "long name")), "upright"));
}

}  // namespace
}  // namespace rwa::report
