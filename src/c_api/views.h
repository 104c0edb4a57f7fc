// src/c_api/views.h: the views of a session, made from their C structs, which carry no sizes: those
// that the shapes ask for are taken to be there.
#pragma once

#include <cstddef>
#include <span>

#include "c_api/guard.h"
#include "c_api/json.h"
#include "rwa/c_api.h"
#include "rwa/model.h"

namespace rwa::c_api {

// Of a session among other options.
void read_session(io::Fields& options, SessionOptions& session);

// What a view needs to know of its network.
struct Sizes {
  explicit Sizes(const Model& model)
      : config(model.config()), parameters(model.parameter_count()) {}

  [[nodiscard]] BatchView view(const rwa_batch* batch) const;
  [[nodiscard]] TargetView view(const rwa_targets* targets, const rwa_batch* batch) const;
  // Of x, [T,B,D].
  [[nodiscard]] std::size_t inputs(const rwa_batch& batch) const;

  ModelConfig config;
  std::size_t parameters;
};

// Throws InputError where there should be numbers and is nothing.
template <class Number>
std::span<Number> numbers(Number* values, std::size_t count, const char* name) {
  if (count > 0) require(values, name);
  return {values, count};
}

}  // namespace rwa::c_api
