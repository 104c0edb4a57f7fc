#include "model/network.h"

namespace rwa {

template <class Real>
std::size_t NetworkPass<Real>::prepare(const Rows& in) {
  const Rows rows = spec_.output_rows(in);
  const auto count = static_cast<std::size_t>(rows.steps) * static_cast<std::size_t>(rows.batch);
  h_.reserve(count * static_cast<std::size_t>(spec_.output.inputs));
  return count * static_cast<std::size_t>(spec_.output.outputs);
}

template <class Real>
void NetworkPass<Real>::forward(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                                Real* y, std::optional<Memory> keep) {
  (void)prepare(in.rows);
  const bool every = spec_.readout == Readout::kEvery;
  recurrent_->forward(*weights.recurrent, {.in = in,
                                           .h_every = every ? h_.data() : nullptr,
                                           .h_last = every ? nullptr : h_.data(),
                                           .keep = keep});
  backend_.dense_forward(spec_.output, *weights.output, spec_.output_rows(in.rows), h_.data(), y);
}

template <class Real>
void NetworkPass<Real>::start(const NetworkWeights<Real>& weights, int batch, Real* state) {
  recurrent_->forward(*weights.recurrent,
                      {.in = {nullptr, {.steps = 0, .batch = batch}}, .final_state = state});
}

template <class Real>
void NetworkPass<Real>::step(const NetworkWeights<Real>& weights, const Real* x, int batch,
                             Real* state, Real* y) {
  const Rows rows{1, batch, {}};
  (void)prepare(rows);
  recurrent_->forward(
      *weights.recurrent,
      {.in = {x, rows}, .initial_state = state, .h_last = h_.data(), .final_state = state});
  backend_.dense_forward(spec_.output, *weights.output, rows, h_.data(), y);
}

template <class Real>
void NetworkPass<Real>::loss(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                             const Targets<Real>& targets, double* mean, Real* y) {
  const std::size_t outputs = prepare(in.rows);
  if (y == nullptr) {
    y_.reserve(outputs);
    y = y_.data();
  }
  forward(weights, in, y);
  backend_.loss(spec_.loss, spec_.output_rows(in.rows), spec_.output.outputs, y, targets, mean,
                nullptr);
}

template <class Real>
void NetworkPass<Real>::gradient(const NetworkWeights<Real>& weights, const Sequences<Real>& in,
                                 const Targets<Real>& targets, double* mean, Memory memory,
                                 Real* parameters, Real* x) {
  const std::size_t outputs = prepare(in.rows);
  y_.reserve(outputs);
  dy_.reserve(outputs);
  forward(weights, in, y_.data(), memory);
  const Rows rows = spec_.output_rows(in.rows);
  backend_.loss(spec_.loss, rows, spec_.output.outputs, y_.data(), targets, mean, dy_.data());
  backend_.dense_backward(spec_.output, *weights.output, rows, h_.data(), dy_.data(),
                          parameters + spec_.output_offset(), h_.data());
  const bool every = spec_.readout == Readout::kEvery;
  recurrent_->backward(*weights.recurrent, {.in = in,
                                            .dh_every = every ? h_.data() : nullptr,
                                            .dh_last = every ? nullptr : h_.data(),
                                            .parameters = parameters,
                                            .x = x});
}

template class NetworkPass<float>;
template class NetworkPass<double>;

}  // namespace rwa
