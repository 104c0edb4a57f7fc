// src/workflows/contradictions.h: refuses a setting that was typed, as an option or a keyword
// argument, and has no effect. Defaults and configuration files, which state every setting, may be
// overruled silently; what was typed may not.
#pragma once

#include "datasets/files.h"
#include "training/experiment.h"
#include "training/settings.h"

namespace rwa::workflows {

// Throws ConfigError, with advice, for a typed setting that changes nothing in this experiment on
// these files. If the experiment begins a search, a setting may have its effect on others of it.
void refuse_without_effect(const training::Overrides& given, const training::Experiment& experiment,
                           const datasets::Files& files, bool begins_search);

}  // namespace rwa::workflows
