// src/api/model_impl.h: the implementation that Model, Session, Stream and Trainer share.
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

// The largest steps x batch: kernels count rows with 32 bits and add to them.
inline constexpr std::size_t kMostRows = std::size_t{1} << 30;

// Returns the batch as the network takes it, after checking all sizes, lengths and symbols.
Sequences<float> checked_sequences(const NetworkSpec& spec, const BatchView& batch,
                                   int least_batch = 1);
Targets<float> checked_targets(const NetworkSpec& spec, const Rows& in, const TargetView& targets);
// Throws InputError, naming the argument and both sizes, if the sizes differ.
void check_size(std::string_view what, std::size_t found, std::size_t expected,
                std::string_view shape);
// Throws InputError, with the reason, if the size is not 0.
void check_none(std::string_view what, std::size_t found, std::string_view why);
// Returns the shape of y in letters: "[T,B,O]".
std::string output_shape(const NetworkSpec& spec);
// Checks the options of a session and returns its backend.
std::unique_ptr<Backend<float>> checked_backend(const SessionOptions& options);
// Runs f() and turns std::bad_alloc into a ResourceError that says what the memory was for.
template <class F>
decltype(auto) within_memory(std::string_view what, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw ResourceError("not enough memory for " + std::string(what));
  }
}

}  // namespace rwa
