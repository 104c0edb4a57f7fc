#include "model/decoder.h"

#include "backend/array.h"

namespace rwa {

template <class Real>
void DecoderPass<Real>::encode(const NetworkWeights<Real>& weights, int batch, const Real* read) {
  const Rows rows{1, batch, {}};
  backend_.dense_forward(spec_.code, *weights.code, rows, read,
                         room(code_, rows, spec_.code.outputs));
}

template <class Real>
Real* DecoderPass<Real>::run(const NetworkWeights<Real>& weights, const Symbols& labels,
                             StackForward<Real> job) {
  const TableSpec& table = spec_.labels;
  Real* in = room(in_, job.in.rows, table.width);
  backend_.lookup(table, job.in.rows, labels, weights.values.data() + spec_.labels.offset,
                  code_.data(), in);
  job.in.x = in;
  return stack_.forward(*weights.decoder, job);
}

template <class Real>
Real* DecoderPass<Real>::forward(const NetworkWeights<Real>& weights, const Targets<Real>& targets,
                                 std::optional<Memory> keep, const std::int64_t* dropout_step) {
  return run(weights, {targets.classes, true},
             {.in = {.rows = targets.rows}, .keep = keep, .dropout_step = dropout_step});
}

template <class Real>
Real* DecoderPass<Real>::step(const NetworkWeights<Real>& weights, const Sequences<Real>& before,
                              const Real* initial_state, Real* final_state) {
  return run(
      weights, {before.symbols, false},
      {.in = {.rows = before.rows}, .initial_state = initial_state, .final_state = final_state});
}

template <class Real>
void DecoderPass<Real>::backward(const NetworkWeights<Real>& weights, const Targets<Real>& targets,
                                 const Real* dh, Real* parameters, Real* read,
                                 const std::int64_t* dropout_step) {
  Real* din = cleared_room(din_, targets.rows, spec_.labels.width);
  stack_.backward(*weights.decoder, {.in = {in_.data(), targets.rows},
                                     .dh = dh,
                                     .parameters = parameters,
                                     .x = din,
                                     .dropout_step = dropout_step});
  backend_.lookup_backward(spec_.labels, targets.rows, {targets.classes, true}, din,
                           parameters + spec_.labels.offset, code_.data());
  backend_.dense_backward(spec_.code, *weights.code, targets.rows.one_step(), read, code_.data(),
                          parameters + spec_.code.offset, read);
}

template class DecoderPass<float>;
template class DecoderPass<double>;

}  // namespace rwa
