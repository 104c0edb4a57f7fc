#include "c_api/views.h"

#include <algorithm>

namespace rwa::c_api {
namespace {
// Negative sizes count as 0 here; the session rejects them with a better message.
std::size_t product(int a, int b, int c = 1) {
  const auto size = [](int n) { return static_cast<std::size_t>(std::max(n, 0)); };
  return size(a) * size(b) * size(c);
}

// Empty if the pointer is null.
template <class Number>
std::span<Number> optional(Number* values, std::size_t count) {
  return {values, values == nullptr ? 0 : count};
}
}  // namespace

void read_session(io::Fields& options, SessionOptions& session) {
  options("threads", session.threads);
  options("memory", session.memory);
  options("device", session.device);
  options("share", session.share);
}

std::size_t Sizes::inputs(const rwa_batch& batch) const {
  return product(batch.steps, batch.batch, config.inputs);
}

BatchView Sizes::view(const rwa_batch* batch) const {
  require(batch, "batch");
  return {.x = optional(batch->x, inputs(*batch)),
          .steps = batch->steps,
          .batch = batch->batch,
          .lengths = optional(batch->lengths, product(batch->batch, 1)),
          .symbols = optional(batch->symbols, product(batch->steps, batch->batch))};
}

TargetView Sizes::view(const rwa_targets* targets, const rwa_batch* batch) const {
  require(targets, "targets");
  require(batch, "batch");
  int rows = config.readout == Readout::kEvery ? batch->steps : 1;
  if (config.code > 0) rows = targets->steps;
  return {.classes = optional(targets->classes, product(rows, batch->batch)),
          .values = optional(targets->values, product(rows, batch->batch, config.outputs)),
          .steps = targets->steps,
          .lengths = optional(targets->lengths, product(batch->batch, 1))};
}

}  // namespace rwa::c_api
