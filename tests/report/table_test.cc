// tests/report/table_test.cc: one table in its three forms, to the letter.
#include "report/table.h"

#include <gtest/gtest.h>

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
<tr><td class="text"></td><td class="number">20</td><td class="text open"><span role="img" aria-label="not known yet">…</span> </td></tr>
</tbody></table></div>
)");
}

TEST(Table, WithoutRowsHasAHeader) {
  EXPECT_EQ(to_text({{"claim", "ours"}, {}}), "claim  ours\n─────  ────\n");
  EXPECT_EQ(to_markdown({{"a"}, {}}), "| a   |\n| --- |\n");
}

}  // namespace
}  // namespace rwa::report
