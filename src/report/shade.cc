#include "report/shade.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rwa::report {

void Shade::add(const Box& box, double weight) {
  if (std::isnan(weight)) return;
  const auto level = std::lround(std::min(std::abs(weight), 1.0) * kLevels);
  if (level == 0) return;
  std::string& path = (weight < 0 ? less_ : more_)[static_cast<std::size_t>(level)];
  path += fmt::format("M{:.5g} {:.5g}h{:.4g}v{:.4g}h-{:.4g}z", box.x, box.y, box.width, box.height,
                      box.width);
}

std::string Shade::svg() const {
  std::string svg;
  const auto add = [&](const Paths& paths, const char* style) {
    for (std::size_t level = 1; level < paths.size(); ++level) {
      if (paths[level].empty()) continue;
      svg += fmt::format(R"(<path class="{}" opacity="{:.2g}" d="{}"/>)", style,
                         strongest_ * static_cast<double>(level) / kLevels, paths[level]);
    }
  };
  add(more_, "more");
  add(less_, "less");
  return svg;
}

}  // namespace rwa::report
