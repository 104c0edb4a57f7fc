// src/backend/cpu/pack-inl.h: weights from the layout of RecurrentSpec to the one the tiles read,
// and gradients back.
#if defined(RWA_BACKEND_CPU_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_PACK_INL_H_
#undef RWA_BACKEND_CPU_PACK_INL_H_
#else
#define RWA_BACKEND_CPU_PACK_INL_H_
#endif

#include <algorithm>

#include "backend/cpu/strip.h"
#include "backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

class Packer {
 public:
  Packer(const RecurrentSpec& spec, const Geometry& g) : spec_(spec), g_(g) {}

  // Calls f(index in RecurrentSpec's layout, index in PackedWeights::forward) for every weight and
  // bias: the one place that knows both layouts.
  template <class F>
  void for_each_weight(F&& f) const {
    const auto D = static_cast<std::size_t>(g_.inputs);
    const auto H = static_cast<std::size_t>(g_.units);
    std::size_t bias = spec_.bias();
    for (std::size_t p = 0; p < spec_.traits().has_bias.size(); ++p) {
      const bool has_bias = spec_.traits().has_bias[p];
      for (std::size_t j = 0; j < H; ++j) {
        const Place to = place(p, j);
        const std::size_t row = p * H + j;
        for (std::size_t d = 0; d < D; ++d)
          f(spec_.weight_x() + row * D + d, to.first + d * to.step);
        if (has_bias) f(bias++, to.first + D * to.step);
        if (p >= static_cast<std::size_t>(g_.gates)) continue;
        for (std::size_t k = 0; k < H; ++k) {
          f(spec_.weight_h() + row * H + k, to.first + (D + 1 + k) * to.step);
        }
      }
    }
  }

  void pack(const float* from, PackedWeights& out) const {
    float* packed = cleared(out.forward, g_.forward_size());
    for_each_weight([&](std::size_t source, std::size_t target) { packed[target] = from[source]; });
    const std::size_t x_weights =
        static_cast<std::size_t>(g_.units) * static_cast<std::size_t>(g_.inputs);
    const float* weight_x = from + spec_.weight_x();
    float* back = cleared(out.back, g_.panels * g_.gates_depth() * kLanes);
    float* back_x = cleared(out.back_x, g_.x_panels * g_.depth() * kLanes);
    pack_back(from + spec_.weight_h(), g_.gates, g_.units, g_.gates_depth(), back);
    pack_back(weight_x, g_.gates, g_.inputs, g_.depth(), back_x);
    pack_back(weight_x + x_weights * static_cast<std::size_t>(g_.gates), g_.only_inputs, g_.inputs,
              g_.depth(), back_x + g_.gates_depth() * kLanes);
  }

 private:
  struct Place {
    std::size_t first, step;
  };

  // Where the weights of pre-activation p of unit j start, and their distance along the row.
  [[nodiscard]] Place place(std::size_t p, std::size_t j) const {
    const auto gates = static_cast<std::size_t>(g_.gates);
    const auto only = static_cast<std::size_t>(g_.only_inputs);
    const std::size_t panel = j / kLanes;
    const std::size_t lane = j % kLanes;
    if (p < gates) {
      return {panel * g_.row_size * gates * kLanes + p * kLanes + lane, gates * kLanes};
    }
    return {g_.gates_size() + panel * g_.x_size() * only * kLanes + (p - gates) * kLanes + lane,
            only * kLanes};
  }

  static float* cleared(Buffer& buffer, std::size_t count) {
    buffer.reserve(count);
    std::fill_n(buffer.data(), count, 0.0f);
    return buffer.data();
  }

  // [P·H, columns] to [panel of columns][(p, unit)][lanes], panels of columns
  // `depth` apart.
  void pack_back(const float* from, int preactivations, int columns, std::size_t depth,
                 float* out) const {
    const auto P = static_cast<std::size_t>(preactivations);
    const auto width = static_cast<std::size_t>(columns);
    for (std::size_t p = 0; p < P; ++p) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(g_.units); ++j) {
        const float* row = from + (p * static_cast<std::size_t>(g_.units) + j) * width;
        const std::size_t k = p * g_.padded_units() + j;
        for (std::size_t c = 0; c < width; c += kLanes) {
          std::copy_n(row + c, std::min(kLanes, width - c),
                      out + (c / kLanes * depth + k) * kLanes);
        }
      }
    }
  }

  const RecurrentSpec& spec_;
  const Geometry& g_;
};

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
