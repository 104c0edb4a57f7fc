// src/api/shared_backend.h: a backend that several layers of the process work with, by turns.
#pragma once

#include <memory>
#include <mutex>

#include "backend/backend.h"
#include "rwa/model.h"

namespace rwa {

struct SharedBackend {
  std::unique_ptr<Backend<float>> backend;
  std::mutex turn;  // held by whoever asks it for work
};

// The one of that device and number of threads: all that want it have the same. Only those that
// want one thread of the CPU have each its own, since it starts none, so that they need not wait
// for each other. Throws ConfigError for options that cannot be.
std::shared_ptr<SharedBackend> shared_backend(const SessionOptions& options);

}  // namespace rwa
