#include "api/model_impl.h"
#include "backend/cpu/cpu.h"

namespace rwa {

struct Session::Impl {
  Impl(std::shared_ptr<const Model::Impl> shared, const SessionOptions& session_options)
      : model(std::move(shared)),
        options((check_options(session_options), session_options)),
        backend(make_cpu_backend(options.threads)),
        pass(model->spec, *backend) {}

  std::shared_ptr<const Model::Impl> model;
  SessionOptions options;
  std::unique_ptr<Backend<float>> backend;
  NetworkPass<float> pass;
};

Session::Session(const Model& model, const SessionOptions& options)
    : impl_(within_memory("a session",
                          [&] { return std::make_unique<Impl>(model.impl_, options); })) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

namespace {
void check_outputs(const NetworkSpec& spec, const Rows& in, std::span<float> y) {
  const Rows rows = spec.output_rows(in);
  check_size("y", y.size(),
             static_cast<std::size_t>(rows.steps) * static_cast<std::size_t>(rows.batch) *
                 static_cast<std::size_t>(spec.output.outputs),
             spec.readout == Readout::kEvery ? "[T,B,O]" : "[B,O]");
}
}  // namespace

void Session::run(const BatchView& batch, std::span<float> y) {
  const NetworkSpec& spec = impl_->model->spec;
  const auto in = checked_sequences(spec, batch);
  check_outputs(spec, in.rows, y);
  within_memory("running a batch",
                [&] { impl_->pass.forward(impl_->model->weights, in, y.data()); });
}

double Session::loss(const BatchView& batch, const TargetView& targets, std::span<float> y) {
  const NetworkSpec& spec = impl_->model->spec;
  const auto in = checked_sequences(spec, batch);
  if (!y.empty()) check_outputs(spec, in.rows, y);
  const auto wanted = checked_targets(spec, in.rows, targets);
  return within_memory("running a batch", [&] {
    return impl_->pass.loss(impl_->model->weights, in, wanted, loss_scale(spec, in.rows),
                            y.empty() ? nullptr : y.data());
  });
}

double Session::gradient(const BatchView& batch, const TargetView& targets,
                         const GradientView& out) {
  const NetworkSpec& spec = impl_->model->spec;
  const auto in = checked_sequences(spec, batch);
  check_size("the gradient", out.weights.size(), spec.parameters(), "all parameters");
  if (!out.x.empty()) check_size("the gradient of x", out.x.size(), batch.x.size(), "[T,B,D]");
  const auto wanted = checked_targets(spec, in.rows, targets);
  return within_memory("the gradient of a batch", [&] {
    return impl_->pass.gradient(impl_->model->weights, in, wanted, loss_scale(spec, in.rows),
                                impl_->options.memory, out.weights.data(),
                                out.x.empty() ? nullptr : out.x.data());
  });
}

}  // namespace rwa
