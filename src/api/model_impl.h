// src/api/model_impl.h: what Model, Session, Stream and Trainer share behind the public headers.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "api/weights.h"
#include "model/model_file.h"
#include "model/network.h"
#include "rwa/errors.h"
#include "rwa/model.h"

namespace rwa {

struct Model::Impl {
  Impl(const ModelConfig& c, std::span<const float> numbers, Notes n = {})
      : config(c), spec(c), weights(spec, numbers), notes(std::move(n)) {}

  ModelConfig config;
  NetworkSpec spec;
  ModelWeights weights;
  Notes notes;
};

// Of a batch: steps and rows are counted with 32 bits, and some more are added to them.
inline constexpr std::size_t kMostRows = std::size_t{1} << 30;

// The batch as the network takes it, after every number that describes it has been checked.
Sequences<float> checked_sequences(const NetworkSpec& spec, const BatchView& batch,
                                   int least_batch = 1);
Targets<float> checked_targets(const NetworkSpec& spec, const Rows& in, const TargetView& targets);
// Throws InputError naming the argument, what it has and what it should have.
void check_size(std::string_view what, std::size_t found, std::size_t expected,
                std::string_view shape);
// Throws InputError, with the reason, where something was given that must not be.
void check_none(std::string_view what, std::size_t found, std::string_view why);
// That of y, in letters.
std::string output_shape(const NetworkSpec& spec);
// The backend of a session, after its options have been checked.
std::unique_ptr<Backend<float>> checked_backend(const SessionOptions& options);
// Runs f(); memory that cannot be had becomes a ResourceError that says what for.
template <class F>
decltype(auto) within_memory(std::string_view what, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw ResourceError("not enough memory for " + std::string(what));
  }
}

}  // namespace rwa
