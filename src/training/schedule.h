// src/training/schedule.h: the learning rate of every step of a run.
#pragma once

#include <cstdint>

#include "training/experiment.h"

namespace rwa::training {

// Of the step with this number, from 0, after so many reductions.
double learning_rate(const Training& training, std::int64_t step, std::int64_t reductions);

// Whether it is reduced after an evaluation that was the last of so many, in a row, without a lower
// loss than the best: three times before patience ends, if there is as much of it.
bool is_reduced(const Experiment& experiment, std::int64_t evaluations_without);

// Throws ConfigError where the schedule needs what the experiment lacks.
void check_schedule(const Experiment& experiment);

}  // namespace rwa::training
