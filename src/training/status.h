// src/training/status.h: how a run stands, and why it has ended.
#pragma once

#include <string_view>

namespace rwa::training {

// A run that was killed is "running" until it goes on.
enum class Status { kRunning, kFinished, kInterrupted, kDiverged };

std::string_view to_string(Status status);
// Throws ConfigError.
Status parse_status(std::string_view name);

// What was first: all steps are done, nothing became better for long, or the time was used up.
enum class End { kSteps, kPatience, kTime };

std::string_view to_string(End end);
// Throws ConfigError.
End parse_end(std::string_view name);

}  // namespace rwa::training
