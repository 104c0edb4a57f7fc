#include <fmt/format.h>

#include <algorithm>

#include "api/model_impl.h"
#include "backend/cpu/cpu.h"

namespace rwa {

struct Stream::Impl {
  explicit Impl(std::shared_ptr<Model::Impl> shared)
      : model(std::move(shared)),
        backend(make_cpu_backend(1)),
        pass(model->spec, *backend),
        state(model->spec.recurrent.state_size()) {}

  std::shared_ptr<Model::Impl> model;
  std::unique_ptr<Backend<float>> backend;
  NetworkPass<float> pass;
  std::vector<float> state;  // [1 + state, H]; the CPU's memory is the host's
};

Stream::Stream(const Model& model)
    : impl_(within_memory("a stream", [&] { return std::make_unique<Impl>(model.impl_); })) {
  reset();
}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

void Stream::step(std::span<const float> x, std::span<float> y) {
  const NetworkSpec& spec = impl_->model->spec;
  check_size("x", x.size(), static_cast<std::size_t>(spec.recurrent.inputs), "[D]");
  check_size("y", y.size(), static_cast<std::size_t>(spec.output.outputs), "[O]");
  within_memory("a step", [&] {
    impl_->pass.step(impl_->model->weights.on_cpu(), x.data(), 1, impl_->state.data(), y.data());
  });
}

void Stream::reset() {
  within_memory("a stream",
                [&] { impl_->pass.start(impl_->model->weights.on_cpu(), 1, impl_->state.data()); });
}

std::span<const float> Stream::state() const { return impl_->state; }

void Stream::set_state(std::span<const float> state) {
  check_size("the state", state.size(), impl_->state.size(), "[1 + state, H]");
  std::copy(state.begin(), state.end(), impl_->state.begin());
}

}  // namespace rwa
