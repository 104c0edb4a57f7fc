#include "datasets/widening.h"

#include <algorithm>
#include <cmath>

namespace rwa::datasets {

std::size_t Widening::inputs(std::size_t width) const {
  return static_cast<std::size_t>(context) * width + static_cast<std::size_t>(positions);
}

void Widening::write_row(const formats::Sequence& encoded, std::size_t width, int t, int place,
                         float* row) const {
  std::fill_n(row, inputs(width), 0.0F);
  for (int before = 0; before < context; ++before, row += width) {
    if (t < before) continue;
    const auto step = static_cast<std::size_t>(t - before);
    if (encoded.symbols.empty()) {
      std::copy_n(encoded.x.data() + step * width, width, row);
    } else {
      row[encoded.symbols[step]] = 1;
    }
  }
  const double apart = static_cast<double>(span) / std::max(positions, 1);
  for (int position = 0; position < positions; ++position) {
    const double distance = (place - (position + 0.5) * apart) / apart;
    *row++ = static_cast<float>(std::exp(-0.5 * distance * distance));
  }
}

}  // namespace rwa::datasets
