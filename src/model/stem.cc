#include "model/stem.h"

namespace rwa {

template <class Real>
StemPass<Real>::StemPass(const StemSpec& spec, Backend<Real>& backend)
    : spec_(spec),
      backend_(backend),
      unfolded_(backend),
      after_(backend),
      dx_{Array<Real>(backend), Array<Real>(backend)} {
  for (std::size_t i = 0; i < spec_.convolutions.size(); ++i) outputs_.emplace_back(backend);
}

template <class Real>
const Real* StemPass<Real>::forward(const StemWeights<Real>& weights,
                                    const StemForward<Real>& job) {
  const Rows& rows = job.rows;
  std::size_t state = 0;
  for (std::size_t i = 0; i < spec_.convolutions.size(); ++i) {
    const ConvolutionSpec& spec = spec_.convolutions[i];
    const Real* before = job.initial_state == nullptr ? nullptr : job.initial_state + state;
    const Real* x = input(i, job.x);
    Real* unfolded = room(unfolded_, rows, spec.dense.inputs);
    Real* out = room(outputs_[i], rows, spec.dense.outputs);
    backend_.unfold(spec.width(), spec.kernel, rows, before, x, unfolded);
    backend_.dense_forward(spec.dense, *weights.convolutions[i], rows, unfolded, out);
    backend_.rectify(spec.dense.outputs, rows, out);
    const std::size_t size = static_cast<std::size_t>(rows.batch) * spec.state_size();
    if (job.final_state != nullptr && size > 0) {
      after_.reserve(size);  // because the states may alias
      backend_.last_steps(spec.width(), spec.kernel, rows, before, x, after_.data());
      backend_.copy_rows(1, size, after_.data(), size, job.final_state + state, size);
    }
    state += size;
  }
  return outputs_.back().data();
}

template <class Real>
void StemPass<Real>::backward(const StemWeights<Real>& weights, const StemBackward<Real>& job) {
  const Rows& rows = job.rows;
  Real* dout = job.dout;
  std::size_t state = static_cast<std::size_t>(rows.batch) * spec_.state_size();
  for (std::size_t i = spec_.convolutions.size(); i-- > 0;) {
    const ConvolutionSpec& spec = spec_.convolutions[i];
    state -= static_cast<std::size_t>(rows.batch) * spec.state_size();
    const Real* before = job.initial_state == nullptr ? nullptr : job.initial_state + state;
    Real* dx = i > 0 ? cleared_room(dx_[i % 2], rows, spec.width()) : job.dx;
    Real* unfolded = room(unfolded_, rows, spec.dense.inputs);
    backend_.rectify_backward(spec.dense.outputs, rows, outputs_[i].data(), dout);
    // Once more, because keeping it would take `kernel` times the memory of x.
    backend_.unfold(spec.width(), spec.kernel, rows, before, input(i, job.x), unfolded);
    backend_.dense_backward(spec.dense, *weights.convolutions[i], rows, unfolded, dout,
                            job.parameters + spec.dense.offset, dx == nullptr ? nullptr : unfolded);
    if (dx != nullptr) {
      backend_.unfold_backward(spec.width(), spec.kernel, rows, unfolded, dx);
    }
    dout = dx;
  }
}

template class StemPass<float>;
template class StemPass<double>;

}  // namespace rwa
