// src/c_api/guard.h: the boundary between C++ and C, which no exception crosses.
#pragma once

#include <string>
#include <utility>

#include "rwa/c_api.h"
#include "rwa/errors.h"

namespace rwa::c_api {

// Converts the exception being handled to an rwa_result and keeps its message for rwa_last_error().
rwa_result failure() noexcept;

// Runs the body of a C function.
template <class Work>
rwa_result guarded(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return RWA_OK;
  } catch (...) {
    return failure();
  }
}

// Returns a C string that stays valid until the calling thread's next keep().
const char* keep(std::string text);

// Throws InputError, naming the argument, if the pointer is null.
void require(const void* pointer, const char* name);

}  // namespace rwa::c_api
