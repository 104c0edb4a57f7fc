#include "report/figure.h"

#include <array>
#include <cstddef>
#include <span>
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

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

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
  io::replace_file(folder / (figure.id + ".svg"), bytes_of(svg));
  io::replace_file(folder / (figure.id + ".png"), bytes_of(png));
}

}  // namespace rwa::report
