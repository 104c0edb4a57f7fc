#include "model/encoder.h"

#include "backend/array.h"

namespace rwa {

template <class Real>
Real* EncoderPass<Real>::forward(const NetworkWeights<Real>& weights, StackForward<Real> job) {
  const Rows rows = job.in.rows;
  const Real* values = weights.values.data();
  if (const auto& table = spec_.embedding) {
    Real* embedded = room(embedded_, rows, table->width);
    backend_.lookup(*table, rows, {job.in.symbols}, values + table->offset, nullptr, embedded);
  }
  job.in = seen(job.in);
  if (!spec_.stem.empty()) {
    convolved_ = stem_.forward(weights.stem, {.x = job.in.x,
                                              .rows = rows,
                                              .initial_state = stem_state(job.initial_state, rows),
                                              .final_state = stem_state(job.final_state, rows)});
    job.in = {convolved_, rows};
  }
  Real* h = spec_.stack.layers.empty() ? nullptr : stack_.forward(weights.encoder, job);
  if (!spec_.averages()) return h;
  averaged_ = h != nullptr ? h : job.in.x;
  Real* average = room(average_, rows.one_step(), spec_.width);
  backend_.average(spec_.width, rows, score(values), averaged_, room(share_, rows, 1), average);
  return average;
}

template <class Real>
void EncoderPass<Real>::backward(const NetworkWeights<Real>& weights, StackBackward<Real> job) {
  const Rows rows = job.in.rows;
  const auto& table = spec_.embedding;
  const Symbols symbols{job.in.symbols};
  if (spec_.averages()) {
    Real* dh = cleared_room(daveraged_, rows, spec_.width);
    backend_.average_backward(spec_.width, rows, score(weights.values.data()), averaged_,
                              share_.data(), job.dh, score(job.parameters), dh);
    job.dh = dh;
  }
  job.in = seen(job.in);
  if (table) job.x = cleared_room(dembedded_, rows, table->width);
  if (!spec_.stem.empty()) {
    differentiate_stem(weights, job);
  } else if (!spec_.stack.layers.empty()) {
    stack_.backward(weights.encoder, job);
  } else if (job.x != nullptr) {
    backend_.add(count_of(rows, spec_.width), job.dh, job.x);
  }
  if (table) {
    backend_.lookup_backward(*table, rows, symbols, job.x, job.parameters + table->offset, nullptr);
  }
}

template <class Real>
void EncoderPass<Real>::differentiate_stem(const NetworkWeights<Real>& weights,
                                           const StackBackward<Real>& job) {
  const Rows rows = job.in.rows;
  StackBackward<Real> above = job;
  above.in = {convolved_, rows};
  above.x = cleared_room(dstem_, rows, spec_.stem.width());
  stack_.backward(weights.encoder, above);
  stem_.backward(weights.stem, {.x = job.in.x,
                                .rows = rows,
                                .initial_state = stem_state(job.initial_state, rows),
                                .dout = above.x,
                                .parameters = job.parameters,
                                .dx = job.x});
}

template class EncoderPass<float>;
template class EncoderPass<double>;

}  // namespace rwa
