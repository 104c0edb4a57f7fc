#include "api/model_impl.h"

namespace rwa {

struct Session::Impl {
  Impl(std::shared_ptr<Model::Impl> shared, const SessionOptions& options)
      : model(std::move(shared)),
        memory(options.memory),
        backend(checked_backend(options)),
        weights(model->weights, model->spec, options.device, *backend),
        pass(model->spec, *backend),
        feed(backend->make_feed()),
        loss(*backend, 1),
        y(*backend),
        weights_gradient(*backend),
        x_gradient(*backend) {}

  void prepare(const Sequences<float>& in, const Targets<float>& targets) {
    weights.refresh();
    load(*feed, model->spec, in, targets);
  }

  [[nodiscard]] double read_loss() const {
    double value = 0;
    loss.read({&value, 1});
    return value;
  }

  std::shared_ptr<Model::Impl> model;
  Memory memory;
  std::unique_ptr<Backend<float>> backend;
  DeviceWeights weights;
  NetworkPass<float> pass;
  std::unique_ptr<Feed<float>> feed;
  Array<float, double> loss;
  Array<float> y, weights_gradient, x_gradient;
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

// The caller's numbers on the device, to be added to or written over in part; null for none.
float* lend(Array<float>& array, std::span<const float> host) {
  if (host.empty()) return nullptr;
  array.reserve(host.size());
  array.write(host);
  return array.data();
}
}  // namespace

void Session::run(const BatchView& batch, std::span<float> y) {
  Impl& i = *impl_;
  const auto in = checked_sequences(i.model->spec, batch);
  check_outputs(i.model->spec, in.rows, y);
  within_memory("running a batch", [&] {
    i.prepare(in, {});
    i.pass.forward(i.weights.get(), i.feed->in(), lend(i.y, y));
    i.y.read(y);
  });
}

double Session::loss(const BatchView& batch, const TargetView& targets, std::span<float> y) {
  Impl& i = *impl_;
  const auto in = checked_sequences(i.model->spec, batch);
  if (!y.empty()) check_outputs(i.model->spec, in.rows, y);
  const auto wanted = checked_targets(i.model->spec, in.rows, targets);
  return within_memory("running a batch", [&] {
    i.prepare(in, wanted);
    i.pass.loss(i.weights.get(), i.feed->in(), i.feed->targets(), i.loss.data(), lend(i.y, y));
    i.y.read(y);
    return i.read_loss();
  });
}

double Session::gradient(const BatchView& batch, const TargetView& targets,
                         const GradientView& out) {
  Impl& i = *impl_;
  const NetworkSpec& spec = i.model->spec;
  const auto in = checked_sequences(spec, batch);
  check_size("the gradient", out.weights.size(), spec.parameters(), "all parameters");
  if (!out.x.empty()) check_size("the gradient of x", out.x.size(), batch.x.size(), "[T,B,D]");
  const auto wanted = checked_targets(spec, in.rows, targets);
  return within_memory("the gradient of a batch", [&] {
    i.prepare(in, wanted);
    i.pass.gradient(i.weights.get(), i.feed->in(), i.feed->targets(), i.loss.data(), i.memory,
                    lend(i.weights_gradient, out.weights), lend(i.x_gradient, out.x));
    i.weights_gradient.read(out.weights);
    i.x_gradient.read(out.x);
    return i.read_loss();
  });
}

}  // namespace rwa
