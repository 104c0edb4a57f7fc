// src/workflows/forecast_defaults.h: the defaults of models that forecast series; see defaults.h.
#pragma once

#include "datasets/files.h"
#include "training/experiment.h"
#include "training/settings.h"

namespace rwa::workflows {

inline bool is_forecast(const datasets::Files& files) {
  return files.encoding().forecast.is_needed();
}
// So few that all are used for training, and the forecast is scored from several origins in time.
bool has_few_steps(const datasets::Files& files);

// Records what was chosen when the files were read, and chooses how forecasts are scored. Of few
// steps a first training finds how long to train, and how wide intervals must be: it validates on
// the last steps before all origins that are scored.
void choose_forecast(const training::Overrides& given, const datasets::Files& files,
                     training::Experiment& experiment);

// For data that is prepared.
void choose_network_of_forecasts(const training::Overrides& given, const datasets::Files& files,
                                 training::Experiment& experiment);
void choose_length_of_forecasts(const training::Overrides& given, const datasets::Files& files,
                                training::Experiment& experiment);

}  // namespace rwa::workflows
