#include "datasets/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/names.h"
#include "datasets/moment.h"

namespace rwa::datasets {
namespace {

constexpr Names<Scale, 3> kScales{
    {{Scale::kData, "data"}, {Scale::kSequence, "sequence"}, {Scale::kNone, "none"}}};

// Finite, however far the number is from those of the training data.
float standardised(const Normal& normal, std::size_t i, double number) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp((number - normal.mean[i]) / normal.scale[i], -kMost, kMost));
}

}  // namespace

std::string_view to_string(Scale scale) { return name_of(kScales, "scale", scale); }
Scale parse_scale(std::string_view name) { return parse_name(kScales, "scale", name); }

std::vector<Level> levels_of(std::span<const float> x, std::size_t features) {
  std::vector<Level> levels;
  for (const Moment& moment : moments_of(x, features)) {
    const double deviation = std::sqrt(moment.squares / std::max(moment.count, 1.0));
    const bool is_rounding = deviation <= kRounding * std::abs(moment.mean);
    levels.push_back({moment.count, moment.mean, is_rounding ? 0 : deviation});
  }
  return levels;
}

std::vector<float> OwnScale::rows(std::span<const float> x) const {
  const std::size_t features = least.size();
  const std::vector<Level> levels = levels_of(x, features);
  std::vector<float> same(2 * features, 0.0F);  // a feature without numbers is at the mean
  for (std::size_t i = 0; i < features; ++i) {
    if (levels[i].count == 0) continue;
    same[i] = standardised(means, i, levels[i].mean);
    same[features + i] =
        standardised(deviations, i, std::log(std::max(levels[i].deviation, least[i])));
  }
  std::vector<float> out;
  out.reserve(x.size() * kInputs);
  for (std::size_t row = 0; row < x.size(); row += features) {
    for (std::size_t i = 0; i < features; ++i) {
      const double centred = double{x[row + i]} - levels[i].mean;
      const bool flat = std::isnan(centred) || levels[i].deviation == 0;
      out.push_back(flat ? 0.0F
                         : static_cast<float>(centred / std::max(levels[i].deviation, least[i])));
    }
    out.insert(out.end(), same.begin(), same.end());
  }
  return out;
}

}  // namespace rwa::datasets
