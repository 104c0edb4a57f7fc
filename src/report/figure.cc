#include "report/figure.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "io/replace_file.h"
#include "report/gnuplot.h"
#include "report/process.h"

namespace rwa::report {
namespace {

struct Program {
  std::string_view name;
  std::string_view package;
};
constexpr std::array<Program, 2> kPrograms{
    {{"gnuplot", "gnuplot-nox"}, {"rsvg-convert", "librsvg2-bin"}}};

}  // namespace

std::string missing_for_figures() {
  std::string names;
  std::string packages;
  for (const Program& program : kPrograms) {
    if (is_installed(program.name)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : " and ", program.name);
    packages += fmt::format(" {}", program.package);
  }
  if (names.empty()) return "";
  return fmt::format("figures need {}, not found in PATH (Debian: apt install{})", names, packages);
}

void write_figure(const Figure& figure, const std::filesystem::path& folder) {
  // No settings of the user's: the figure is to be the same everywhere.
  const std::string svg = run_program({"gnuplot", "--default-settings"}, gnuplot_script(figure));
  const std::string png = run_program({"rsvg-convert", "--zoom", "2", "--format", "png"}, svg);
  io::replace_text(folder / (figure.id + ".svg"), svg);
  io::replace_text(folder / (figure.id + ".png"), png);
}

}  // namespace rwa::report
