#include "model/network.h"

#include <algorithm>
#include <vector>

#include "backend/array.h"

namespace rwa {
namespace {

// Each step's share of the average that a sequence ends with, in place, [T,B,width]. From the share
// w of each step in the running average at that step:
//   w_t Π_{s after t} (1 - w_s)
// in each direction's reading order; 0 past a sequence's length. The first w is 1, so that the
// shares of a sequence add up to 1.
template <class Real>
void to_final_shares(const LayerSpec& layer, const Rows& rows, Real* shares) {
  const auto width = static_cast<std::size_t>(layer.width());
  const auto row = [&](int t, int b) { return shares + rows.index(t, b) * width; };
  for (int b = 0; b < rows.batch; ++b) {
    const int length = rows.length(b);
    for (std::size_t d = 0; d < layer.directions.size(); ++d) {
      const auto& direction = layer.directions[d];
      std::vector<double> left(static_cast<std::size_t>(direction.units), 1.0);
      for (int i = length - 1; i >= 0; --i) {
        Real* w = row(direction.reverse ? length - 1 - i : i, b) + d * left.size();
        for (std::size_t j = 0; j < left.size(); ++j) {
          const double share = w[j];
          w[j] = static_cast<Real>(share * left[j]);
          left[j] *= 1 - share;
        }
      }
    }
    for (int t = length; t < rows.steps; ++t) std::fill_n(row(t, b), width, Real{0});
  }
}

}  // namespace

template <class Real>
NetworkPass<Real>::NetworkPass(const NetworkSpec& spec, Backend<Real>& backend)
    : spec_(spec),
      backend_(backend),
      encoder_(spec.encoder, backend),
      y_(backend),
      dy_(backend),
      state_(backend) {
  if (spec.decoder) decoder_.emplace(*spec.decoder, backend);
}

template <class Real>
auto NetworkPass<Real>::run(const NetworkWeights<Real>& weights, const StackForward<Real>& job,
                            const Targets<Real>& targets) -> Hidden {
  Real* read = encoder_.forward(weights, job);
  if (!decoder_) return {.top = read, .read = read};
  decoder_->encode(weights, job.in.rows.batch, read);
  return {.top = decoder_->forward(weights, targets, job.keep, job.dropout_step), .read = read};
}

template <class Real>
void NetworkPass<Real>::output(const NetworkWeights<Real>& weights, const Rows& rows,
                               const Real* top, Real* y) {
  backend_.dense_forward(spec_.output, *weights.output, rows, top, y);
}

template <class Real>
void NetworkPass<Real>::forward(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                                Real* y) {
  output(weights, spec_.output_rows(in.rows), run(weights, {.in = in}, {}).top, y);
}

template <class Real>
void NetworkPass<Real>::start(const NetworkWeights<Real>& weights, int batch, Real* state) {
  (void)encoder_.forward(weights,
                         {.in = {.rows = {.steps = 0, .batch = batch}}, .final_state = state});
}

template <class Real>
void NetworkPass<Real>::step(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                             Real* state, Real* y) {
  const Real* read =
      encoder_.forward(weights, {.in = in, .initial_state = state, .final_state = state});
  output(weights, in.rows, read, y);
}

template <class Real>
void NetworkPass<Real>::advance(const NetworkWeights<Real>& weights,
                                const StackForward<Real>& job) {
  (void)encoder_.forward(weights, job);
}

template <class Real>
void NetworkPass<Real>::shares(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                               Real* shares) {
  (void)encoder_.forward(weights, {.in = in, .share = shares});
  to_final_shares(spec_.encoder.stack.layers.back(), in.rows, shares);
}

template <class Real>
void NetworkPass<Real>::decode(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                               int steps, Real* y) {
  const Rows rows{1, in.rows.batch, {}};
  const auto outputs = static_cast<std::size_t>(spec_.outputs());
  decoder_->encode(weights, rows.batch, encoder_.forward(weights, {.in = in}));
  state_.reserve(static_cast<std::size_t>(rows.batch) * spec_.decoder->stack.state_size());
  std::vector<std::int32_t> before(static_cast<std::size_t>(rows.batch), 0);
  std::vector<Real> host(count_of(rows, spec_.outputs()));
  const auto feed = backend_.make_feed();
  for (int t = 0; t < steps; ++t, y += host.size()) {
    feed->load({.rows = rows, .symbols = before.data()}, spec_.decoder->labels.symbols,
               {.rows = rows}, spec_.outputs());
    const Real* initial = t > 0 ? state_.data() : nullptr;
    output(weights, rows, decoder_->step(weights, feed->in(), initial, state_.data()), y);
    backend_.read(host.data(), y, host.size() * sizeof(Real));
    for (std::size_t b = 0; b < before.size(); ++b) {
      const auto first = host.begin() + static_cast<std::ptrdiff_t>(b * outputs);
      const auto most_likely = std::max_element(first, first + spec_.outputs());
      before[b] = static_cast<std::int32_t>(1 + (most_likely - first));
    }
  }
}

template <class Real>
void NetworkPass<Real>::loss(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                             const Targets<Real>& targets, double* mean, Real* y) {
  const Rows rows = rows_of(in, targets);
  if (y == nullptr) y = room(y_, rows, spec_.outputs());
  output(weights, rows, run(weights, {.in = in}, targets).top, y);
  backend_.loss(spec_.loss, rows, spec_.outputs(), y, targets, mean, nullptr);
}

template <class Real>
void NetworkPass<Real>::gradient(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                                 const Targets<Real>& targets, double* mean,
                                 const NetworkGradient<Real>& out) {
  const Rows rows = rows_of(in, targets);
  Real* y = room(y_, rows, spec_.outputs());
  const bool is_part = out.final_state != nullptr;
  // Rows of a part without a loss have no gradient.
  Real* dy = is_part ? cleared_room(dy_, rows, spec_.outputs()) : room(dy_, rows, spec_.outputs());
  const Hidden hidden = run(weights,
                            {.in = in,
                             .initial_state = out.initial_state,
                             .final_state = out.final_state,
                             .keep = out.memory,
                             .dropout_step = out.dropout_step,
                             .part = out.part},
                            targets);
  output(weights, rows, hidden.top, y);
  backend_.loss(spec_.loss, is_part ? targets.rows : rows, spec_.outputs(), y, targets, mean, dy);
  backend_.dense_backward(spec_.output, *weights.output, rows, hidden.top, dy,
                          out.parameters + spec_.output.offset, hidden.top);
  if (decoder_) {
    decoder_->backward(weights, targets, hidden.top, out.parameters, hidden.read, out.dropout_step);
  }
  encoder_.backward(weights, {.in = in,
                              .initial_state = out.initial_state,
                              .dh = hidden.read,
                              .parameters = out.parameters,
                              .x = out.x,
                              .dh_total = out.dh_total,
                              .dropout_step = out.dropout_step,
                              .part = out.part});
}

template class NetworkPass<float>;
template class NetworkPass<double>;

}  // namespace rwa
