// src/datasets/season.h: guesses the length of the season of series: from the calendar, and from
// the autocorrelation of their changes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "formats/sequence.h"
#include "formats/time_step.h"

namespace rwa::datasets {

struct Season {
  int length = 1;        // steps; 1: none
  std::string why = {};  // "autocorrelation 0.58"

  friend bool operator==(const Season&, const Season&) = default;
};

// A season must repeat at least three times in a series. Where the calendar has seasons (12 months,
// 7 days, 24 hours), only those are considered. Looks at all features.
Season find_season(std::span<const formats::Sequence> series, std::size_t features,
                   const std::optional<formats::TimeStep>& step);

// The steps that a forecast covers by default: `given` by the file if not 0. Else a natural number
// of steps of the calendar, or a season that the calendar does not have, and at most a sixth of the
// median length.
int natural_horizon(int given, int season, const std::optional<formats::TimeStep>& step,
                    int median_length);

}  // namespace rwa::datasets
