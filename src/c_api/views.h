// src/c_api/views.h: makes the views of a session from C structs. These carry no sizes; the arrays
// are assumed to have the documented shapes.
#pragma once

#include <cstddef>
#include <span>

#include "c_api/guard.h"
#include "c_api/json.h"
#include "rwa/c_api.h"
#include "rwa/model.h"

namespace rwa::c_api {

// Reads the options of a session from among others.
void read_session(io::Fields& options, SessionOptions& session);

// The sizes of a network that its views need.
struct Sizes {
  explicit Sizes(const Model& model)
      : config(model.config()), parameters(model.parameter_count()) {}

  [[nodiscard]] BatchView view(const rwa_batch* batch) const;
  [[nodiscard]] TargetView view(const rwa_targets* targets, const rwa_batch* batch) const;
  // Returns the size of x, [T,B,D].
  [[nodiscard]] std::size_t inputs(const rwa_batch& batch) const;

  ModelConfig config;
  std::size_t parameters;
};

// Throws InputError if the pointer is null and the count is not 0.
template <class Number>
std::span<Number> numbers(Number* values, std::size_t count, const char* name) {
  if (count > 0) require(values, name);
  return {values, count};
}

}  // namespace rwa::c_api
