// tests/report/steps_test.cc: drawings of sequences as text. browser_test.py tests how they look.
#include "report/steps.h"

#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sample_page.h"
#include "text_testing.h"

namespace rwa::report {
namespace {

Steps letters(std::size_t steps) {
  Steps picture{.title = "letters"};
  for (std::size_t i = 0; i < steps; ++i) {
    picture.symbols.emplace_back(1, "ACGT"[i % 4]);
    picture.weights.push_back(0);
  }
  return picture;
}

Steps curves(std::size_t steps) {
  Steps picture{.title = "curves"};
  picture.tracks.push_back({.name = "height", .values = std::vector<double>(steps, 1)});
  picture.weights.assign(steps, 1.0 / static_cast<double>(steps));
  return picture;
}

// Without the key of the colours.
std::string drawing_of(const Steps& picture) {
  std::string html = to_html(picture);
  for (std::size_t at = 0; (at = html.find("<g class=\"key\">")) != std::string::npos;) {
    html.erase(at, html.find("</g>", at) - at);
  }
  return html;
}

TEST(Steps, ColoursEachLetterByItsWeight) {
  Steps picture = letters(6);
  picture.weights = {0, 0.5, 0.25, -0.5, 0, 0};
  const std::string html = drawing_of(picture);
  EXPECT_EQ(count(html, "class=\"letter\""), 6);
  EXPECT_TRUE(contains(html, "<path class=\"more\" opacity=\"0.6\""));
  EXPECT_TRUE(contains(html, "<path class=\"more\" opacity=\"0.3\""));
  EXPECT_EQ(count(html, "<path class=\"less\""), 1);
  EXPECT_EQ(count(html, "h-"), 3);
}

TEST(Steps, OfALongSequenceDrawsTheLinesThatCount) {
  Steps picture = letters(10'000);
  picture.symbols[5'000] = "X";
  picture.weights[5'000] = 1;
  const std::string html = to_html(picture);
  EXPECT_TRUE(contains(html, ">X</text>"));
  EXPECT_EQ(count(html, "class=\"letter\""), 50 * 40);
  EXPECT_TRUE(contains(html, " steps</text>"));
  EXPECT_FALSE(contains(to_html(letters(50 * 40)), " steps</text>"));
}

TEST(Steps, NumbersTheFirstStepOfEveryLineAndOfAPiece) {
  Steps picture = letters(41);
  picture.first = 1'001;
  const std::string html = to_html(picture);
  EXPECT_TRUE(contains(html, ">1,001</text>"));
  EXPECT_TRUE(contains(html, ">1,041</text>"));
}

TEST(Steps, ShortensLongWords) {
  Steps picture = letters(1);
  picture.symbols = {std::string(1'000, 'x') + "ü"};
  EXPECT_TRUE(contains(to_html(picture), ">" + std::string(23, 'x') + "…</text>"));
}

TEST(Steps, DrawsCurvesAndBarsOfEveryStep) {
  Steps picture = curves(5);
  picture.tracks[0].values = {1, 2, 3, 2.5, -1};
  picture.weights_are = "share";
  const std::string html = to_html(picture);
  EXPECT_TRUE(contains(html, ">height</text>"));
  EXPECT_TRUE(contains(html, ">share</text>"));
  EXPECT_TRUE(contains(html, ">3</text>"));
  EXPECT_TRUE(contains(html, ">-1</text>"));
  EXPECT_EQ(count(html, "class=\"curve\""), 1);
  EXPECT_EQ(count(html, "h-"), 5);
}

TEST(Steps, AColumnOfManyStepsIsTheirSum) {
  Steps picture = curves(32'000);
  picture.weights.assign(32'000, 0.25);
  const std::string html = to_html(picture);
  EXPECT_EQ(count(html, "h-"), 320);
  EXPECT_TRUE(contains(html, ">25</text>"));
}

TEST(Steps, ColoursTheGroundOfACurveByItsOwnWeights) {
  Steps picture = curves(3);
  picture.weights = {0, 0, 0};
  picture.tracks[0].weights = {1, -1, 0};
  const std::string html = drawing_of(picture);
  EXPECT_EQ(count(html, "<path class=\"more\" opacity=\"0.5\""), 1);
  EXPECT_EQ(count(html, "<path class=\"less\" opacity=\"0.5\""), 1);
}

TEST(Steps, RowsAreAPictureOfTheirOwn) {
  Steps picture = letters(2);
  picture.rows_are = "units";
  picture.rows = {{1, 0}, {0.25, 0.75}};
  const std::string html = drawing_of(picture);
  EXPECT_TRUE(contains(html, ">units</text>"));
  EXPECT_EQ(count(html, "h-"), 3);
  EXPECT_TRUE(contains(html, "opacity=\"0.5\""));  // the square root of a quarter
}

TEST(Steps, AKeyNamesTheEndsOfTheColours) {
  Steps picture = letters(3);
  EXPECT_FALSE(contains(to_html(picture), "class=\"key\""));  // nothing has a colour
  picture.weights = {0, 0.25, 0.5};
  EXPECT_TRUE(contains(to_html(picture), ">0.5</text>"));
  EXPECT_FALSE(contains(to_html(picture), "class=\"less\""));
  picture.weights[1] = -0.25;
  EXPECT_TRUE(contains(to_html(picture), ">-0.5</text>"));
  picture = curves(2);
  picture.rows = {{0.125, 2}};
  const std::string html = to_html(picture);
  EXPECT_EQ(count(html, "class=\"key\""), 1);
  EXPECT_TRUE(contains(html.substr(html.find("class=\"key\"")), ">2</text>"));
}

TEST(Steps, TakesWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Steps picture = curves(4);
  picture.tracks[0].values = {nan, 1, infinity, 2};
  picture.tracks.push_back(
      {.name = "", .values = {nan, nan, nan, nan}, .weights = {nan, 1, 0, infinity}});
  picture.weights = {nan, infinity, -infinity, 0};
  picture.rows = {{nan, 0, infinity, 1}};
  for (const std::string& html :
       {to_html(picture), to_svg(picture), to_html(Steps{}), to_svg(Steps{})}) {
    EXPECT_FALSE(contains(html, "nan"));
    EXPECT_FALSE(contains(html, "inf"));
    EXPECT_TRUE(contains(html, "</svg>"));
  }
}

TEST(Steps, AFileOfItsOwnHasItsColoursAndNoVariables) {
  Steps picture = letters(3);
  picture.title = kHostile;
  const std::string svg = to_svg(picture);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(contains(svg, "<style>"));
  EXPECT_FALSE(contains(svg, "var("));
  EXPECT_TRUE(contains(svg, "class=\"title\""));
  EXPECT_FALSE(contains(svg, "<script"));
}

}  // namespace
}  // namespace rwa::report
