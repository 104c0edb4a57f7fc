#include <fmt/format.h>

#include <algorithm>

#include "api/model_impl.h"
#include "backend/device.h"

namespace rwa {

struct Stream::Impl {
  explicit Impl(std::shared_ptr<Model::Impl> shared)
      : model(std::move(shared)),
        backend(make_cpu_backend(1)),
        pass(model->spec, *backend),
        state(model->spec.state_size()) {}

  // One step of one sequence, given x or a symbol.
  void step(const float* x, const std::int32_t* symbol, std::span<float> y) {
    check_size("y", y.size(), static_cast<std::size_t>(model->spec.outputs()), "[O]");
    within_memory("a step", [&] {
      pass.step(model->weights.on_cpu(), {x, {.steps = 1, .batch = 1}, symbol}, state.data(),
                y.data());
    });
  }

  std::shared_ptr<Model::Impl> model;
  std::unique_ptr<Backend<float>> backend;
  NetworkPass<float> pass;
  std::vector<float> state;  // of all layers; the CPU's memory is the host's
};

namespace {
void check_stream(const NetworkSpec& spec) {
  if (const std::string why = spec.why_no_stream(); !why.empty()) {
    throw ConfigError("this network cannot be streamed: " + why);
  }
}
}  // namespace

Stream::Stream(const Model& model)
    : impl_(within_memory("a stream", [&] {
        check_stream(model.impl_->spec);
        return std::make_unique<Impl>(model.impl_);
      })) {
  reset();
}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

void Stream::step(std::span<const float> x, std::span<float> y) {
  const NetworkSpec& spec = impl_->model->spec;
  if (spec.takes_symbols()) {
    throw InputError("found x, expected a symbol: this network takes symbols, use step(symbol, y)");
  }
  check_size("x", x.size(), static_cast<std::size_t>(spec.inputs()), "[D]");
  impl_->step(x.data(), nullptr, y);
}

void Stream::step(std::int32_t symbol, std::span<float> y) {
  const NetworkSpec& spec = impl_->model->spec;
  if (!spec.takes_symbols()) {
    throw InputError(fmt::format(
        "found the symbol {}, expected x of size {}: this network takes numbers, use step(x, y)",
        symbol, spec.inputs()));
  }
  if (symbol < 0 || symbol >= spec.inputs()) {
    throw InputError(fmt::format("the symbol is {}, expected 0 to {}", symbol, spec.inputs() - 1));
  }
  impl_->step(nullptr, &symbol, y);
}

void Stream::reset() {
  within_memory("a stream",
                [&] { impl_->pass.start(impl_->model->weights.on_cpu(), 1, impl_->state.data()); });
}

std::span<const float> Stream::state() const { return impl_->state; }

void Stream::set_state(std::span<const float> state) {
  check_size("the state", state.size(), impl_->state.size(), "all layers");
  std::copy(state.begin(), state.end(), impl_->state.begin());
}

}  // namespace rwa
