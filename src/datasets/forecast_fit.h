// src/datasets/forecast_fit.h: fits what a forecast is relative to, to the training part of series.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datasets/forecast.h"
#include "datasets/windows.h"
#include "formats/sequence.h"

namespace rwa::datasets {

struct FittedForecast {
  Forecast forecast;         // with weights and spread
  std::vector<float> start;  // outputs that fit best without a network: quantiles of the errors
};

// Fits to at most some thousand of the training windows, evenly spaced; without any, the weights
// stay equal. The settings have all but weights and spread. The quantiles are those of errors that
// the weights were fitted to: the fewer windows there are, the further they are moved apart.
FittedForecast fit_forecast(const Forecast& settings, std::size_t features,
                            std::span<const formats::Sequence> series, const Windows& windows);

}  // namespace rwa::datasets
