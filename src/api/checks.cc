// src/api/checks.cc: checks of all arguments. Code behind these relies on sizes, lengths and
// symbols.
#include <fmt/format.h>

#include "api/model_impl.h"
#include "backend/device.h"
#include "base/counted.h"
#include "base/threads.h"

namespace rwa {
namespace {
std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

// `whose` starts the messages: empty for a batch, "targets: " for a decoder's targets.
Rows checked_rows(std::string_view whose, int steps, int least_steps, int batch, int least_batch,
                  std::span<const std::int32_t> lengths) {
  if (steps < least_steps) {
    throw InputError(fmt::format("{}steps is {}, expected at least {}", whose, steps, least_steps));
  }
  if (batch < least_batch) {
    throw InputError(fmt::format("{}batch is {}, expected at least {}", whose, batch, least_batch));
  }
  if (product(steps, batch) > kMostRows) {
    throw InputError(fmt::format(
        "{}steps x batch is {} x {}, too many for one batch, expected a product of at most {}",
        whose, steps, batch, kMostRows));
  }
  if (lengths.empty()) return {steps, batch, {}};
  const auto what = fmt::format("{}lengths", whose);
  check_size(what, lengths.size(), static_cast<std::size_t>(batch), "[B]");
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] < 0 || lengths[b] > steps) {
      throw InputError(fmt::format("{}the length of sequence {} is {}, expected 0 to {}", whose, b,
                                   lengths[b], steps));
    }
  }
  return {steps, batch, lengths};
}

// Throws InputError unless every step of every sequence is in 0…count-1. Padding is never read.
void check_choices(std::string_view what, const Rows& rows, std::span<const std::int32_t> all,
                   int count) {
  for (int t = 0; t < rows.steps; ++t) {
    for (int b = 0; b < rows.batch; ++b) {
      if (!rows.has(t, b)) continue;
      const std::int32_t found = all[rows.index(t, b)];
      if (found >= 0 && found < count) continue;
      throw InputError(fmt::format("the {} of sequence {}, step {} is {}, expected 0 to {}", what,
                                   b, t, found, count - 1));
    }
  }
}

Sequences<float> checked_symbols(const NetworkSpec& spec, const Rows& rows,
                                 const BatchView& batch) {
  check_none("x", batch.x.size(), "this network takes symbols, [T,B]");
  check_size("symbols", batch.symbols.size(), product(rows.steps, rows.batch),
             fmt::format("[T,B] = [{}, {}]", rows.steps, rows.batch));
  check_choices("symbol", rows, batch.symbols, spec.inputs());
  return {nullptr, rows, batch.symbols.data()};
}

Sequences<float> checked_features(const NetworkSpec& spec, const Rows& rows,
                                  const BatchView& batch) {
  check_none("symbols", batch.symbols.size(), "this network takes numbers, x");
  check_size("x", batch.x.size(),
             product(rows.steps, rows.batch) * static_cast<std::size_t>(spec.inputs()),
             fmt::format("[T,B,D] = [{}, {}, {}]", rows.steps, rows.batch, spec.inputs()));
  return {batch.x.data(), rows};
}

Rows checked_target_rows(const NetworkSpec& spec, const Rows& in, const TargetView& targets) {
  if (spec.decodes()) {
    return checked_rows("targets: ", targets.steps, 1, in.batch, 0, targets.lengths);
  }
  const std::string why = "only targets of a decoder have steps and lengths";
  check_none("targets: lengths", targets.lengths.size(), why);
  if (targets.steps != 0) {
    throw InputError(fmt::format("targets: steps is {}, expected 0: {}", targets.steps, why));
  }
  return spec.output_rows(in);
}
}  // namespace

void check_size(std::string_view what, std::size_t found, std::size_t expected,
                std::string_view shape) {
  if (found != expected) {
    throw InputError(fmt::format("{} has {}, expected {} for {}", what, counted(found, "value"),
                                 expected, shape));
  }
}

void check_none(std::string_view what, std::size_t found, std::string_view why) {
  if (found != 0) {
    throw InputError(
        fmt::format("{} has {}, expected none: {}", what, counted(found, "value"), why));
  }
}

std::unique_ptr<Backend<float>> checked_backend(const SessionOptions& options) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    throw ConfigError(
        fmt::format("threads is {}, expected 1 to {}", options.threads, kMostThreads));
  }
  (void)to_string(options.memory);  // throws for an invalid value
  return make_backend(options.device, options.threads, options.share);
}

Sequences<float> checked_sequences(const NetworkSpec& spec, const BatchView& batch,
                                   int least_batch) {
  const bool has_data = !batch.x.empty() || !batch.symbols.empty();
  const Rows rows =
      checked_rows("", batch.steps, has_data ? 1 : 0, batch.batch, least_batch, batch.lengths);
  if (spec.encoder.stack.layers.empty() && rows.steps != 1) {
    throw InputError(fmt::format(
        "steps is {}, expected 1: this network has no layers before its decoder", rows.steps));
  }
  return spec.takes_symbols() ? checked_symbols(spec, rows, batch)
                              : checked_features(spec, rows, batch);
}

Targets<float> checked_targets(const NetworkSpec& spec, const Rows& in, const TargetView& targets) {
  const Rows rows = checked_target_rows(spec, in, targets);
  const std::size_t count = product(rows.steps, rows.batch);
  if (spec.loss.kind != Loss::kSoftmax) {
    check_size("targets: values", targets.values.size(),
               count * static_cast<std::size_t>(spec.outputs()), output_shape(spec));
    return {.values = targets.values.data(), .rows = rows};
  }
  const std::string shape = output_shape(spec);
  check_size("targets: classes", targets.classes.size(), count,
             shape.substr(0, shape.rfind(',')) + "]");
  check_choices("target class", rows, targets.classes, spec.outputs());
  return {.classes = targets.classes.data(), .rows = rows};
}

std::string output_shape(const NetworkSpec& spec) {
  if (spec.decodes()) return "[steps,B,O]";
  return spec.readout == Readout::kEvery ? "[T,B,O]" : "[B,O]";
}

}  // namespace rwa
