// src/comm/patience.h: how long one that gives no sign of work is waited for. What is left of 30
// seconds is for ending the job.
#pragma once

#include <chrono>

namespace rwa {

inline constexpr std::chrono::seconds kPatience{20};

}  // namespace rwa
