#include <fmt/format.h>

#include "api/model_impl.h"
#include "backend/device.h"
#include "base/counted.h"

namespace rwa {

struct Session::Impl {
  Impl(std::shared_ptr<Model::Impl> shared, const SessionOptions& options)
      : model(std::move(shared)),
        memory(options.memory),
        on_host(is_host(options.device)),
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
  bool on_host;
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
std::size_t row_size(const NetworkSpec& spec, int batch) {
  return static_cast<std::size_t>(batch) * static_cast<std::size_t>(spec.outputs());
}

void check_outputs(const NetworkSpec& spec, const Rows& rows, std::span<float> y) {
  check_size("y", y.size(), static_cast<std::size_t>(rows.steps) * row_size(spec, rows.batch),
             output_shape(spec));
}

// Returns the number of decoder steps that y has room for.
int checked_steps(const NetworkSpec& spec, int batch, std::span<float> y) {
  const std::size_t step = row_size(spec, batch);
  const std::size_t steps = y.size() / step;
  const std::size_t most = kMostRows / static_cast<std::size_t>(batch);
  if (steps * step != y.size() || steps == 0 || steps > most) {
    throw InputError(fmt::format("y has {}, expected {} for each of 1 to {} steps of [steps,B,O]",
                                 counted(y.size(), "value"), step, most));
  }
  return static_cast<int>(steps);
}

void check_gradient_of_x(const NetworkSpec& spec, const BatchView& batch, std::span<float> x) {
  if (spec.takes_symbols()) {
    check_none("the gradient of x", x.size(), "this network takes symbols");
  } else if (!x.empty()) {
    check_size("the gradient of x", x.size(), batch.x.size(), "[T,B,D]");
  }
}

// Returns why GradientView::h is not available; empty if it is.
std::string why_no_gradient_of_h(const ModelConfig& config, bool on_host) {
  if (!on_host) return "it is available only on the CPU";
  if (config.layers == 0) return "this network has no layers before its decoder";
  if (config.bidirectional) return "it is not available for bidirectional networks";
  return "";
}

void check_gradient_of_h(const ModelConfig& config, bool on_host, const Rows& rows,
                         std::span<float> h) {
  if (h.empty()) return;
  if (const auto why = why_no_gradient_of_h(config, on_host); !why.empty()) {
    check_none("the gradient of h", h.size(), why);
  }
  check_size("the gradient of h", h.size(),
             rows.index(rows.steps, 0) * static_cast<std::size_t>(config.units), "[T,B,H]");
}

// Throws ConfigError if shares() is not available.
void check_average(const ModelConfig& config, bool on_host) {
  const auto refuse = [](std::string_view why) {
    throw ConfigError(fmt::format("the shares are not available: {}", why));
  };
  if (!on_host) refuse("they are computed only on the CPU");
  if (config.layers == 0) refuse("this network has no layers before its decoder");
  if (!cell_traits(config.cell).averages) {
    refuse(fmt::format("the cell {} keeps no average", to_string(config.cell)));
  }
}

// Copies the caller's array to the device, where it is added to or partly overwritten. Null if
// empty.
float* lend(Array<float>& array, std::span<const float> host) {
  if (host.empty()) return nullptr;
  array.reserve(host.size());
  array.write(host);
  return array.data();
}

// The same for outputs. What the caller has in rows of padding stays, so it has to travel; without
// padding nothing has to.
float* lend_outputs(Array<float>& array, const Rows& rows, std::span<const float> host) {
  if (host.empty() || !rows.lengths.empty()) return lend(array, host);
  array.reserve(host.size());
  return array.data();
}
}  // namespace

void Session::run(const BatchView& batch, std::span<float> y) {
  Impl& i = *impl_;
  const NetworkSpec& spec = i.model->spec;
  const auto in = checked_sequences(spec, batch);
  const int steps = spec.decodes() ? checked_steps(spec, batch.batch, y) : 0;
  const Rows rows = spec.output_rows(in.rows);
  if (!spec.decodes()) check_outputs(spec, rows, y);
  within_memory("running a batch", [&] {
    i.prepare(in, {});
    if (spec.decodes()) {
      i.pass.decode(i.weights.get(), i.feed->in(), steps, lend(i.y, y));
    } else {
      i.pass.forward(i.weights.get(), i.feed->in(), lend_outputs(i.y, rows, y));
    }
    i.y.read(y);
  });
}

double Session::loss(const BatchView& batch, const TargetView& targets, std::span<float> y) {
  Impl& i = *impl_;
  const auto in = checked_sequences(i.model->spec, batch);
  const auto wanted = checked_targets(i.model->spec, in.rows, targets);
  if (!y.empty()) check_outputs(i.model->spec, wanted.rows, y);
  return within_memory("running a batch", [&] {
    i.prepare(in, wanted);
    i.pass.loss(i.weights.get(), i.feed->in(), i.feed->targets(), i.loss.data(),
                lend_outputs(i.y, wanted.rows, y));
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
  check_gradient_of_x(spec, batch, out.x);
  check_gradient_of_h(i.model->config, i.on_host, in.rows, out.h);
  const auto wanted = checked_targets(spec, in.rows, targets);
  return within_memory("the gradient of a batch", [&] {
    i.prepare(in, wanted);
    // A device may process all steps that the feed has room for.
    const Rows& room = i.feed->in().rows;
    if (!out.x.empty()) {
      i.x_gradient.reserve(room.index(room.steps, 0) * static_cast<std::size_t>(spec.inputs()));
    }
    i.pass.gradient(i.weights.get(), i.feed->in(), i.feed->targets(), i.loss.data(),
                    {.memory = i.memory,
                     .parameters = lend(i.weights_gradient, out.weights),
                     .x = lend(i.x_gradient, out.x),
                     .dh_total = out.h.empty() ? nullptr : out.h.data()});
    i.weights_gradient.read(out.weights);
    i.x_gradient.read(out.x);
    return i.read_loss();
  });
}

void Session::shares(const BatchView& batch, std::span<float> shares) {
  Impl& i = *impl_;
  const NetworkSpec& spec = i.model->spec;
  check_average(i.model->config, i.on_host);
  const auto in = checked_sequences(spec, batch);
  const int width = spec.encoder.stack.layers.back().width();
  check_size("shares", shares.size(),
             in.rows.index(in.rows.steps, 0) * static_cast<std::size_t>(width),
             i.model->config.bidirectional ? "[T,B,2H]" : "[T,B,H]");
  within_memory("running a batch", [&] {
    i.prepare(in, {});
    i.pass.shares(i.weights.get(), i.feed->in(), shares.data());
  });
}

}  // namespace rwa
