// src/api/checks.cc: the border: behind it, sizes and lengths are known to agree.
#include <fmt/format.h>

#include "api/model_impl.h"
#include "backend/device.h"
#include "base/threads.h"

namespace rwa {
namespace {
// Steps and rows are counted with 32 bits, and some more are added to them.
constexpr std::size_t kMostRows = std::size_t{1} << 30;

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

void check_class(const Rows& rows, int outputs, const TargetView& targets, int t, int b) {
  const std::int32_t c = targets.classes[product(t, rows.batch) + static_cast<std::size_t>(b)];
  if (c < 0 || c >= outputs) {
    throw InputError(fmt::format("the target class of sequence {}, step {} is {}, expected 0 to {}",
                                 b, t, c, outputs - 1));
  }
}

void check_lengths(const BatchView& batch) {
  check_size("lengths", batch.lengths.size(), static_cast<std::size_t>(batch.batch), "[B]");
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    if (batch.lengths[b] < 0 || batch.lengths[b] > batch.steps) {
      throw InputError(fmt::format("the length of sequence {} is {}, expected 0 to {}", b,
                                   batch.lengths[b], batch.steps));
    }
  }
}
}  // namespace

void check_size(std::string_view what, std::size_t found, std::size_t expected,
                std::string_view shape) {
  if (found != expected) {
    throw InputError(
        fmt::format("{} has {} numbers, expected {} for {}", what, found, expected, shape));
  }
}

std::unique_ptr<Backend<float>> checked_backend(const SessionOptions& options) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    throw ConfigError(
        fmt::format("threads is {}, expected 1 to {}", options.threads, kMostThreads));
  }
  (void)to_string(options.memory);  // refuses what is none of them
  return make_backend(options.device, options.threads, options.share);
}

Sequences<float> checked_sequences(const NetworkSpec& spec, const BatchView& batch) {
  if (batch.steps < 0)
    throw InputError(fmt::format("steps is {}, expected at least 0", batch.steps));
  if (batch.batch < 1)
    throw InputError(fmt::format("batch is {}, expected at least 1", batch.batch));
  if (product(batch.steps, batch.batch) > kMostRows) {
    throw InputError(fmt::format(
        "{} steps of {} sequences are too many for one batch, expected at most {} in all",
        batch.steps, batch.batch, kMostRows));
  }
  const std::size_t rows = product(batch.steps, batch.batch);
  check_size(
      "x", batch.x.size(), rows * static_cast<std::size_t>(spec.recurrent.inputs),
      fmt::format("[T,B,D] = [{}, {}, {}]", batch.steps, batch.batch, spec.recurrent.inputs));
  if (!batch.lengths.empty()) check_lengths(batch);
  return {batch.x.data(), {batch.steps, batch.batch, batch.lengths}};
}

Targets<float> checked_targets(const NetworkSpec& spec, const Rows& in, const TargetView& targets) {
  const Rows rows = spec.output_rows(in);
  const std::size_t count = product(rows.steps, rows.batch);
  const std::string shape = fmt::format("[{}{}", spec.readout == Readout::kEvery ? "T,B" : "B",
                                        spec.loss == Loss::kSoftmax ? "]" : ",O]");
  if (spec.loss != Loss::kSoftmax) {
    check_size("the target values", targets.values.size(),
               count * static_cast<std::size_t>(spec.output.outputs), shape);
    return {nullptr, targets.values.data()};
  }
  check_size("the target classes", targets.classes.size(), count, shape);
  for (int t = 0; t < rows.steps; ++t) {
    for (int b = 0; b < rows.batch; ++b) {
      if (rows.has(t, b)) check_class(rows, spec.output.outputs, targets, t, b);
    }
  }
  return {targets.classes.data(), nullptr};
}

}  // namespace rwa
