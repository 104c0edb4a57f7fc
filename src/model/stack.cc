#include "model/stack.h"

#include "backend/array.h"

namespace rwa {
namespace {
// Null stays null.
template <class T>
T* from(T* numbers, std::size_t offset) {
  return numbers == nullptr ? nullptr : numbers + offset;
}
}  // namespace

template <class Real>
StackPass<Real>::StackPass(const StackSpec& spec, Backend<Real>& backend)
    : spec_(spec),
      backend_(backend),
      dx_{Array<Real>(backend), Array<Real>(backend)},
      dx_of_reverse_(backend) {
  for (const LayerSpec& layer : spec_.layers) {
    auto& made = layers_.emplace_back(backend).directions;
    const auto beside = static_cast<int>(layer.directions.size());
    for (const auto& direction : layer.directions) {
      made.push_back(backend.make_pass(direction, beside));
    }
  }
}

template <class Real>
template <class Job>
void StackPass<Real>::hide(std::size_t layer, const Job& job, Real* values) {
  if (job.dropout_step == nullptr || spec_.dropout == 0) return;
  // Layer numbers are below 2^16.
  const auto number = (job.part << 16) + spec_.first + static_cast<std::uint32_t>(layer);
  backend_.dropout(spec_.dropout, {spec_.seed, number, job.dropout_step},
                   spec_.layers[layer].width(), job.in.rows, values);
}

template <class Real>
template <class Work>
void StackPass<Real>::each_direction(std::size_t layer, Work&& work) {
  if (layers_[layer].directions.size() == 1) {
    work(std::size_t{0});
  } else {
    backend_.beside([&] { work(std::size_t{0}); }, [&] { work(std::size_t{1}); });
  }
}

template <class Real>
Real* StackPass<Real>::forward(const StackWeights<Real>& weights, const StackForward<Real>& job) {
  const Rows& rows = job.in.rows;
  Sequences<Real> in = job.in;
  std::size_t state = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    const LayerSpec& spec = spec_.layers[l];
    const bool every = gives_every(l);
    Real* share = l + 1 == layers_.size() ? job.share : nullptr;
    Real* outputs = room(layer.h, every ? rows : rows.one_step(), spec.width());
    each_direction(l, [&](std::size_t d) {
      const std::size_t column = d * static_cast<std::size_t>(spec.directions[d].units);
      Real* h = outputs + column;
      layer.directions[d]->forward(*weights.layers[l][d],
                                   {.in = in,
                                    .initial_state = from(job.initial_state, state),
                                    .h_every = every ? h : nullptr,
                                    .h_last = every ? nullptr : h,
                                    .final_state = from(job.final_state, state),
                                    .keep = job.keep,
                                    .share = from(share, column)});
    });
    if (l + 1 < layers_.size()) hide(l, job, outputs);
    state += static_cast<std::size_t>(rows.batch) * spec.directions.front().state_size();
    in = {outputs, rows};
  }
  return layers_.back().h.data();
}

template <class Real>
void StackPass<Real>::backward(const StackWeights<Real>& weights, const StackBackward<Real>& job) {
  const Rows& rows = job.in.rows;
  const Real* dh = job.dh;
  std::size_t state = static_cast<std::size_t>(rows.batch) * spec_.state_size();
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const LayerSpec& spec = spec_.layers[l];
    state -= static_cast<std::size_t>(rows.batch) * spec.directions.front().state_size();
    const bool every = gives_every(l);
    const bool is_last = l + 1 == layers_.size();
    const int inputs = spec.directions.front().inputs;
    const Sequences<Real> in = l > 0 ? Sequences<Real>{layers_[l - 1].h.data(), rows} : job.in;
    Real* dx = l > 0 ? cleared_room(dx_[l % 2], rows, inputs) : job.x;
    const bool both = dx != nullptr && spec.directions.size() > 1;
    Real* dx_of_reverse = both ? cleared_room(dx_of_reverse_, rows, inputs) : nullptr;
    each_direction(l, [&](std::size_t d) {
      const Real* gradient = dh + d * static_cast<std::size_t>(spec.directions[d].units);
      layers_[l].directions[d]->backward(*weights.layers[l][d],
                                         {.in = in,
                                          .initial_state = from(job.initial_state, state),
                                          .dh_every = every ? gradient : nullptr,
                                          .dh_last = every ? nullptr : gradient,
                                          .parameters = job.parameters + spec.directions[d].offset,
                                          .x = d == 0 ? dx : dx_of_reverse,
                                          .dh_total = is_last ? job.dh_total : nullptr});
    });
    if (both) backend_.add(count_of(rows, inputs), dx_of_reverse, dx);
    if (l > 0) hide(l - 1, job, dx);
    dh = dx;
  }
}

template class StackPass<float>;
template class StackPass<double>;

}  // namespace rwa
