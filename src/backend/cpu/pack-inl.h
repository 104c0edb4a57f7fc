// src/backend/cpu/pack-inl.h: converts weights from RecurrentSpec's layout to the one the tiles
// read, and gradients back.
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
    const CellTraits& cell = spec_.traits();
    const auto D = static_cast<std::size_t>(g_.inputs);
    const auto H = static_cast<std::size_t>(g_.units);
    std::size_t x = spec_.weight_x();
    std::size_t h = spec_.weight_h();
    std::size_t bias = spec_.bias();
    for (int p = 0; p < cell.preactivations(); ++p) {
      for (std::size_t j = 0; j < H; ++j) {
        const Place to = place(static_cast<std::size_t>(p), j);
        for (std::size_t d = 0; cell.x.has(p) && d < D; ++d) f(x++, to.first + d * to.step);
        if (cell.bias.has(p)) f(bias++, to.first + D * to.step);
        for (std::size_t k = 0; cell.h.has(p) && k < H; ++k) {
          f(h++, to.first + (D + 1 + k) * to.step);
        }
      }
    }
  }

  // The same for the weights of some symbols: f(index in RecurrentSpec's layout, symbol, index in
  // the symbol's row). One cache line of symbols at a time: they are adjacent in one layout and far
  // apart in the other.
  template <class F>
  void for_each_symbol_weight(Range symbols, F&& f) const {
    const CellTraits& cell = spec_.traits();
    for (int begin = symbols.begin; begin < symbols.end; begin += static_cast<int>(kLineFloats)) {
      const int end = std::min(begin + static_cast<int>(kLineFloats), symbols.end);
      std::size_t x = spec_.weight_x();
      for (int p = 0; p < cell.preactivations(); ++p) {
        for (std::size_t j = 0; cell.x.has(p) && j < static_cast<std::size_t>(g_.units); ++j) {
          const std::size_t at = symbol_place(static_cast<std::size_t>(p), j);
          for (int s = begin; s < end; ++s) f(x + static_cast<std::size_t>(s), s, at);
          x += static_cast<std::size_t>(g_.symbols);
        }
      }
    }
  }

  void pack(const float* from, PackedWeights& out) const {
    float* packed = cleared(out.forward, g_.forward_size());
    for_each_weight([&](std::size_t source, std::size_t target) { packed[target] = from[source]; });
    float* back = cleared(out.back, g_.panels * g_.gates_depth() * kLanes);
    float* back_x = cleared(out.back_x, g_.x_panels * g_.depth() * kLanes);
    pack_back(spec_.traits().h, from + spec_.weight_h(), g_.units, g_.gates_depth(), back);
    pack_back(spec_.traits().x, from + spec_.weight_x(), g_.inputs, g_.depth(), back_x);
    float* table = cleared(out.symbols, static_cast<std::size_t>(g_.symbols) * g_.symbol_size());
    for_each_symbol_weight({0, g_.symbols}, [&](std::size_t source, int symbol, std::size_t at) {
      table[static_cast<std::size_t>(symbol) * g_.symbol_size() + at] = from[source];
    });
  }

 private:
  struct Place {
    std::size_t first, step;
  };

  // The first weight of pre-activation p of unit j, and the distance from one to the next.
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

  // Index in a symbol's row of its weight for pre-activation p of unit j.
  [[nodiscard]] std::size_t symbol_place(std::size_t p, std::size_t j) const {
    const auto all = static_cast<std::size_t>(g_.gates + g_.only_inputs);
    return (j / kLanes * all + p) * kLanes + j % kLanes;
  }

  static float* cleared(Buffer& buffer, std::size_t count) {
    buffer.reserve(count);
    std::fill_n(buffer.data(), count, 0.0f);
    return buffer.data();
  }

  // Packs [blocks·H, columns] as [panel of columns][(pre-activation, unit)][lanes], with panels of
  // `depth` rows. Pre-activations without a block stay 0.
  void pack_back(const Terms& terms, const float* from, int columns, std::size_t depth,
                 float* out) const {
    const auto width = static_cast<std::size_t>(columns);
    for (int p = 0; p < g_.gates + g_.only_inputs; ++p) {
      if (!terms.has(p)) continue;
      for (std::size_t j = 0; j < static_cast<std::size_t>(g_.units); ++j, from += width) {
        const std::size_t k = static_cast<std::size_t>(p) * g_.padded_units() + j;
        for (std::size_t c = 0; c < width; c += kLanes) {
          std::copy_n(from + c, std::min(kLanes, width - c),
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
