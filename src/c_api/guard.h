// src/c_api/guard.h: the border between C++ and C: no exception crosses it.
#pragma once

#include <string>
#include <utility>

#include "rwa/c_api.h"
#include "rwa/errors.h"

namespace rwa::c_api {

// What the exception that is being handled is called in C; keeps its words for rwa_last_error().
rwa_result failure() noexcept;

// Does the work of a C function.
template <class Work>
rwa_result guarded(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return RWA_OK;
  } catch (...) {
    return failure();
  }
}

// A text on its way back: it lives until this thread keeps another.
const char* keep(std::string text);

// Throws InputError, which names it, for a pointer that must not be null.
void require(const void* pointer, const char* name);

}  // namespace rwa::c_api
