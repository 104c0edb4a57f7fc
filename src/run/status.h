// src/run/status.h: how a run stands.
#pragma once

#include <string_view>

namespace rwa::run {

// A run that was killed is "running" until it goes on.
enum class Status { kRunning, kFinished, kInterrupted, kDiverged };

std::string_view to_string(Status status);
// Throws ConfigError.
Status parse_status(std::string_view name);

}  // namespace rwa::run
