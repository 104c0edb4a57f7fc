// tests/report/figure_test.cc: figure files, and the programs that draw them.
#include "report/figure.h"

#include <cstdlib>

#include "io/io_testing.h"
#include "report/process.h"
#include "rwa/errors.h"
#include "sample_page.h"

namespace rwa::report {
namespace {

namespace fs = std::filesystem;

class FigureFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for_figures(); !missing.empty())
      GTEST_SKIP() << missing;
  }
  io::TempFolder folder_;
};

Figure two_panels() {
  return {"figure-5", "Figure 5", {losses("left", false, true), losses("right", true, false)}};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(FigureFiles, AreAnSvgWithEveryTextAndAPng) {
  Figure figure = two_panels();
  figure.panels[0].title = "the left one";
  figure.panels[1].title = "the right one";
  write_figure(figure, folder_.path());
  const std::string svg = io::get(folder_.path() / "figure-5.svg");
  for (const char* text : {"Figure 5", "the left one", "the right one", "mean squared error",
                           "training steps", "RWA, authors", "naive", "20,000", "</svg>"}) {
    EXPECT_TRUE(contains(svg, text)) << text;
  }
  EXPECT_EQ(io::get(folder_.path() / "figure-5.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(folder_.count(), 2);
}

TEST_F(FigureFiles, AreTheSameBytesForTheSameFigure) {
  write_figure(two_panels(), folder_.path());
  const std::string svg = io::get(folder_.path() / "figure-5.svg");
  const std::string png = io::get(folder_.path() / "figure-5.png");
  write_figure(two_panels(), folder_.path());
  EXPECT_EQ(io::get(folder_.path() / "figure-5.svg"), svg);
  EXPECT_EQ(io::get(folder_.path() / "figure-5.png"), png);
}

TEST_F(FigureFiles, HostileTextsAreDrawnAndNotRun) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_NO_THROW(write_figure({"hostile", kHostile, {hostile_chart()}}, folder_.path()));
  fs::current_path(before);
  EXPECT_FALSE(fs::exists(folder_.path() / "x"));
  EXPECT_EQ(folder_.count(), 2);
  EXPECT_TRUE(contains(io::get(folder_.path() / "hostile.svg"), "system \"touch x\""));
}

TEST_F(FigureFiles, TakeAFigureWithFewPointsOrNone) {
  for (const Figure& figure : {Figure{"few", "", {lone_point(), no_points(), lone_point()}},
                               Figure{"none", "", {no_points()}}, Figure{"empty", "", {}}}) {
    EXPECT_NO_THROW(write_figure(figure, folder_.path())) << figure.id;
  }
}

TEST_F(FigureFiles, HaveRoomForALegendOfManyModels) {
  Chart chart = losses("many", false, true);
  const Curve curve = chart.curves.front();
  chart.curves.clear();
  for (std::size_t i = 0; i < 12; ++i) {
    chart.curves.push_back(curve);
    chart.curves.back().role = other_role(i);
    chart.curves.back().label = "a model with a long name, number " + std::to_string(i);
  }
  write_figure({"many", "", {chart}}, folder_.path());
  const std::string svg = io::get(folder_.path() / "many.svg");
  for (const Curve& drawn : chart.curves) EXPECT_TRUE(contains(svg, drawn.label)) << drawn.label;
}

TEST_F(FigureFiles, AMissingFolderIsNamed) {
  const fs::path folder = folder_.path() / "missing";
  io::expect_error<ResourceError>([&] { write_figure(two_panels(), folder); },
                                  {(folder / "figure-5.svg").string(), "No such file"});
}

TEST(GnuplotScript, HasNoTextOutsideSingleQuotes) {
  Figure figure{"f", kHostile, {hostile_chart()}};
  const std::string script = gnuplot_script(figure);
  // Quotes within text are doubled, so every second piece between quotes is text.
  std::string code;
  bool text = false;
  for (const char c : script) {
    if (c == '\'') {
      text = !text;
    } else if (!text) {
      code += c;
    }
  }
  EXPECT_FALSE(text);
  EXPECT_TRUE(contains(script, "touch"));
  EXPECT_FALSE(contains(code, "touch"));
  EXPECT_FALSE(contains(code, "\""));
  EXPECT_FALSE(contains(code, "`"));
}

TEST(MissingForFigures, NamesThePackages) {
  const char* path = std::getenv("PATH");
  ASSERT_NE(path, nullptr);
  const std::string before = path;
  ::setenv("PATH", "/nowhere:/also/nowhere", 1);
  const std::string missing = missing_for_figures();
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(missing,
            "figures need gnuplot and rsvg-convert, not found in PATH "
            "(Debian: apt install gnuplot-nox librsvg2-bin)");
}

TEST(RunProgram, GivesBackWhatAProgramMakesOfItsInput) {
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(run_program({"cat"}, large), large);
  EXPECT_EQ(run_program({"true"}, large), "");  // reads nothing: no broken pipe
  EXPECT_EQ(run_program({"printf", "%s", "$HOME; `ls`"}, ""), "$HOME; `ls`");
}

TEST(RunProgram, FailsWithWhatTheProgramSaid) {
  io::expect_error<ResourceError>(
      [] {
        run_program({"sh", "-c", "echo so bad >&2; exit 3"}, "");
      },
      {"sh failed with status 3", "so bad"});
  io::expect_error<ResourceError>(
      [] {
        run_program({"sh", "-c", "kill -9 $$"}, "");
      },
      {"sh was killed by signal 9"});
  io::expect_error<ResourceError>([] { run_program({"no-such-program"}, ""); },
                                  {"no-such-program", "cannot start it", "No such file"});
}

}  // namespace
}  // namespace rwa::report
