// tests/report/page_test.cc: the page as text. browser_test.py tests how it looks.
#include "report/page.h"

#include <limits>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sample_page.h"
#include "text_testing.h"

namespace rwa::report {
namespace {

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

// The page without the chart library.
std::string ours(std::string html) {
  const std::string_view library = assets::kDygraphJs.substr(0, assets::kDygraphJs.rfind('\n'));
  const std::size_t at = html.find(library);
  EXPECT_NE(at, std::string::npos);
  return html.erase(at, library.size());
}

nlohmann::json charts_of(const std::string& html) {
  return nlohmann::json::parse(
      between(html, R"(<script type="application/json" id="charts">)", "</script>"));
}

TEST(Page, TheSamePageHasTheSameBytes) {
  EXPECT_EQ(to_html(sample_page()), to_html(sample_page()));
}

TEST(Page, AsksForNothingElse) {
  const std::string html = ours(to_html(sample_page()));
  EXPECT_FALSE(contains(html, "http:"));
  EXPECT_FALSE(contains(html, "https:"));
  EXPECT_FALSE(contains(html, "sourceMappingURL"));
  EXPECT_FALSE(contains(html, "<link"));
  EXPECT_FALSE(contains(html, "@import"));
  EXPECT_FALSE(contains(html, " src="));
  EXPECT_FALSE(contains(html, "url("));
  EXPECT_TRUE(contains(html, "default-src 'none'"));
}

TEST(Page, TextIsNeverMarkup) {
  const std::string html = ours(to_html(sample_page()));
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_FALSE(contains(html, "<b>"));
  EXPECT_FALSE(contains(html, "\xff"));
  EXPECT_FALSE(contains(html, "\x01"));
  // The data, the library and page.js; no text starts or ends a script.
  EXPECT_EQ(count(html, "<script"), 3);
  EXPECT_EQ(count(html, "</script"), 3);
  EXPECT_TRUE(contains(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Page, HasEveryBlockOnceUnderItsId) {
  const std::string html = ours(to_html(sample_page()));
  for (const char* id : {"claims", "curves", "examples", "figure-5", "figure-log", "figure-few",
                         "figure-hostile", "linear", "log-y", "log-x", "log-log", "lone-point",
                         "no-points", "hostile", "charts", "theme"}) {
    EXPECT_EQ(count(html, std::string(" id=\"") + id + '"'), 1) << id;
  }
  for (const char* id : {"claims", "curves", "examples"}) {
    EXPECT_EQ(count(html, std::string("href=\"#") + id + '"'), 1) << id;
  }
}

TEST(Page, FewHeadingsNeedNoContents) {
  const std::string html = to_html(Page{"t", "s", {Heading{"one", "one"}, Heading{"two", "two"}}});
  EXPECT_FALSE(contains(html, "<nav"));
}

TEST(Page, ChartsAreDataInTheOrderOfTheirPlaces) {
  const std::string html = to_html(sample_page());
  const nlohmann::json charts = charts_of(html);
  EXPECT_EQ(charts.size(), count(html, "<div class=\"plot\""));
  EXPECT_EQ(charts.size(), count(html, "<noscript>"));
  ASSERT_EQ(charts.size(), 8);  // another one has nothing to draw
  EXPECT_EQ(charts[1].at("logY"), true);
  EXPECT_EQ(charts[2].at("logX"), true);
  for (const auto& chart : charts) {
    for (const auto& curve : chart.at("curves")) {
      EXPECT_EQ(curve.at("x").size(), curve.at("y").size());
      if (curve.contains("low")) {
        EXPECT_EQ(curve.at("low").size(), curve.at("y").size());
        EXPECT_EQ(curve.at("high").size(), curve.at("y").size());
      }
    }
  }
}

TEST(Page, PointsAndTimesAreMarked) {
  const auto charts = charts_of(to_html(Page{"t", "s", {Figure{"f", "", {points(), months()}}}}));
  EXPECT_EQ(charts.at(0).at("curves").at(0).at("points"), true);
  EXPECT_FALSE(charts.at(0).at("curves").at(1).contains("points"));
  EXPECT_EQ(charts.at(0).at("time"), false);
  EXPECT_EQ(charts.at(1).at("time"), true);
}

TEST(Page, ACurveWithoutALabelIsNotInTheLegend) {
  const std::string html = to_html(Page{"t", "s", {Figure{"f", "", {points()}}}});
  EXPECT_EQ(count(html, "<li hidden><i class=\"naive\">"), 1);
  EXPECT_TRUE(contains(html, "<li><i class=\"rwa\"></i>predictions"));
  EXPECT_TRUE(contains(html, "Curves: predictions.\""));
}

TEST(Page, AMinorHeadingIsNotInTheContents) {
  std::vector<Block> blocks;
  for (int i = 0; i < 9; ++i) {
    blocks.push_back(Heading{"h" + std::to_string(i), "id" + std::to_string(i), i == 4});
  }
  const std::string html = to_html(Page{"t", "s", blocks});
  EXPECT_TRUE(contains(html, "<a href=\"#id3\">h3</a>"));
  EXPECT_FALSE(contains(html, "href=\"#id4\""));
  EXPECT_TRUE(contains(html, "<h3 id=\"id4\">h4</h3>"));
}

TEST(Page, BeginsWithItsResult) {
  const std::string html = to_html(Page{"t", "s", {Lead{"3 of 4 <b>", "the rest"}}});
  EXPECT_TRUE(contains(html, "<p class=\"lead\"><strong>3 of 4 &lt;b&gt;</strong> the rest</p>"));
}

TEST(Page, ACardHasFactsAndCode) {
  const std::string html = to_html(Page{"t", "s", {sample_card()}});
  EXPECT_TRUE(contains(html, "<dt>Data</dt><dd>sales.csv: 1 series of 144 steps</dd>"));
  EXPECT_TRUE(contains(html,
                       "<dt>Use</dt><dd><pre><code>rwa predict runs/a NEW\n"
                       "rwa explain runs/a NEW # &lt;b&gt;</code></pre></dd>"));
}

TEST(Page, ANumberKeepsSixDigitsAndAStepAll) {
  Chart chart = lone_point();
  chart.curves[0].x = {1'234'567};
  chart.curves[0].y = {0.123456789};
  const auto charts = charts_of(to_html(Page{"t", "s", {Figure{"f", "", {chart}}}}));
  EXPECT_EQ(charts.at(0).at("curves").at(0).at("x").at(0), 1'234'567);
  EXPECT_EQ(charts.at(0).at("curves").at(0).at("y").at(0), 0.123457);
}

TEST(Page, WithoutBlocksIsAPage) {
  const std::string html = to_html(Page{"nothing & nobody", "", {}});
  EXPECT_TRUE(contains(html, "<title>nothing &amp; nobody</title>"));
  EXPECT_TRUE(charts_of(html).empty());
}

Lane letters(std::size_t steps, std::string_view alphabet) {
  Lane lane{"input", {}, {}, 0};
  for (std::size_t i = 0; i < steps; ++i) {
    lane.symbols.emplace_back(1, alphabet[i % alphabet.size()]);
  }
  return lane;
}

TEST(Example, LeavesOutRepeatsAndSaysHowMany) {
  Lane lane = letters(200, ".");
  lane.symbols[150] = "X";
  const std::string html = to_html(Example{"", {lane}});
  EXPECT_TRUE(contains(html, ">+146<"));  // two steps at each end of a run are kept
  EXPECT_TRUE(contains(html, ">+45<"));
  EXPECT_TRUE(contains(html, ">X<"));
  EXPECT_EQ(count(html, "<rect"), 9);
}

TEST(Example, LeavesOutTheMiddleOfALongSequenceWithoutRepeats) {
  const std::string html = to_html(Example{"", {letters(1000, "abc")}});
  EXPECT_EQ(count(html, "<rect"), 62);
  EXPECT_TRUE(contains(html, ">+938<"));
  EXPECT_FALSE(contains(to_html(Example{"", {letters(60, "abc")}}), "gap"));
}

TEST(Example, DrawsEveryBarOfAThousandAndEveryPixel) {
  const Lane bars{"", std::vector<double>(1000, 0.5), {}, 0};
  EXPECT_EQ(count(to_html(Example{"", {bars}}), "h-"), 1000);
  const Lane picture{"", {0, 1, 0.5, 2}, {}, 2};
  const std::string html = to_html(Example{"", {picture}});
  EXPECT_EQ(count(html, "<path"), 3);
  EXPECT_TRUE(contains(html, "opacity=\"0.5\""));
}

TEST(Example, TakesWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string html = to_html(Example{"",
                                           {{"", {nan, infinity, 0}, {}, 0},
                                            {"", {nan, -infinity, infinity}, {}, 7},
                                            {"", {}, {}, 0},
                                            {"", {}, {}, 28}}});
  EXPECT_FALSE(contains(html, "nan"));
  EXPECT_FALSE(contains(html, "inf"));
  EXPECT_TRUE(contains(to_html(Example{"", {}}), "<svg"));
}

}  // namespace
}  // namespace rwa::report
