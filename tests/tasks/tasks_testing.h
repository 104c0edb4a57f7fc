// tests/tasks/tasks_testing.h: shared by the tests of tasks.
#pragma once

#include <cstdint>
#include <memory>

#include "datasets/datasets_testing.h"
#include "tasks/task.h"

namespace rwa::tasks {

using datasets::expect_share;

inline std::unique_ptr<datasets::Dataset> open_synthetic(const Task& task, std::uint64_t seed = 1) {
  return open_task(task, seed, "/nowhere");
}

}  // namespace rwa::tasks
