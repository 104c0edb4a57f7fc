// src/workflows/run_place.h: where the runs of a training go that was given no folder.
#pragma once

#include <filesystem>

#include "rwa/link.h"
#include "workflows/plan.h"

namespace rwa::workflows {

inline constexpr const char* kRunsFolder = "runs";

// Reads the files and plans, as plan() does, and sets request.out: PARENT/NAME, after the data or
// the name in the settings. If that has a run of other settings or other data: PARENT/NAME-2, and
// so on, so that a command that is repeated resumes its own run. `below` is where the runs will lie
// in the folder. With a link, rank 0 decides.
Plan plan_below(const std::filesystem::path& parent, TrainRequest& request,
                const std::filesystem::path& below = {}, Link* link = nullptr);

}  // namespace rwa::workflows
