// src/backend/cpu/dense-inl.h: a fully connected layer on rows of h. Rows are gathered into blocks
// [h (H), 1], with outputs padded to whole vectors, and multiplied by the same tiles as the
// recurrence.
#if defined(RWA_BACKEND_CPU_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RWA_BACKEND_CPU_DENSE_INL_H_
#undef RWA_BACKEND_CPU_DENSE_INL_H_
#else
#define RWA_BACKEND_CPU_DENSE_INL_H_
#endif

#include <algorithm>
#include <numeric>
#include <vector>

#include "backend/cpu/kernels.h"
#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rwa::cpu::HWY_NAMESPACE {

class Dense final : public DenseKernels {
 public:
  [[nodiscard]] std::size_t packed_size(const DenseSpec& spec) const override {
    return panels(spec.outputs) * (static_cast<std::size_t>(spec.inputs) + 1) * kLanes;
  }

  void pack(const DenseSpec& spec, const float* parameters, PackedDense& out) const override {
    const auto H = static_cast<std::size_t>(spec.inputs);
    const auto O = static_cast<std::size_t>(spec.outputs);
    out.forward.reserve(packed_size(spec));
    std::fill_n(out.forward.data(), packed_size(spec), 0.0f);
    for_each_weight(spec, [&](std::size_t packed, std::size_t i) {
      out.forward.data()[packed] = parameters[i];
    });
    out.back.reserve(panels(spec.inputs) * kLanes * O);
    std::fill_n(out.back.data(), panels(spec.inputs) * kLanes * O, 0.0f);
    for (std::size_t o = 0; o < O; ++o) {
      for (std::size_t k = 0; k < H; ++k) {
        out.back.data()[((k / kLanes) * O + o) * kLanes + k % kLanes] = parameters[o * H + k];
      }
    }
  }

  void forward(const DenseSpec& spec, const PackedDense& weights, const Rows& rows, Range sequences,
               const float* h, float* y) const override {
    const auto H = static_cast<std::size_t>(spec.inputs);
    for_each_block(rows, sequences, [&](const std::vector<std::size_t>& block) {
      product(gather(h, H, H + 1, block, 1.0f), block, H + 1, weights.forward.data(),
              static_cast<std::size_t>(spec.outputs), y);
    });
  }

  void backward(const DenseSpec& spec, const PackedDense& weights, const Rows& rows,
                Range sequences, const float* h, const float* dy, float* gradient,
                float* dh) const override {
    const auto H = static_cast<std::size_t>(spec.inputs);
    const auto O = static_cast<std::size_t>(spec.outputs);
    const std::size_t padded = panels(spec.outputs) * kLanes;
    std::vector<std::uint32_t> index(kBlock);
    std::iota(index.begin(), index.end(), 0u);
    for_each_block(rows, sequences, [&](const std::vector<std::size_t>& block) {
      const std::vector<float> a = gather(h, H, H + 1, block, 1.0f);
      const std::vector<float> b = gather(dy, O, padded, block, 0.0f);
      for (std::size_t panel = 0; panel < padded / kLanes; ++panel) {
        outer<1>({a.data(), H + 1, b.data() + panel * kLanes, padded, index.data(), block.size()},
                 spec.inputs + 1, gradient + panel * (H + 1) * kLanes);
      }
      if (dh == nullptr) return;
      product(gather(dy, O, O, block, 0.0f), block, O, weights.back.data(), H, dh);
    });
  }

  void unpack(const DenseSpec& spec, const float* gradient, float* out) const override {
    for_each_weight(spec, [&](std::size_t packed, std::size_t i) { out[i] += gradient[packed]; });
  }

 private:
  static constexpr std::size_t kBlock = 256;

  static std::size_t panels(int width) {
    return (static_cast<std::size_t>(width) + kLanes - 1) / kLanes;
  }

  // Calls f(index in [panel of outputs][H + 1][lanes], index in DenseSpec's layout) for every
  // weight and bias.
  template <class F>
  static void for_each_weight(const DenseSpec& spec, F&& f) {
    const auto H = static_cast<std::size_t>(spec.inputs);
    for (std::size_t o = 0; o < static_cast<std::size_t>(spec.outputs); ++o) {
      const std::size_t first = o / kLanes * (H + 1) * kLanes + o % kLanes;
      for (std::size_t k = 0; k < H; ++k) f(first + k * kLanes, o * H + k);
      f(first + H * kLanes, spec.bias() + o);
    }
  }

  // Calls f(rows) for blocks of the rows that count, ordered by step, then sequence.
  template <class F>
  static void for_each_block(const Rows& rows, Range sequences, F&& f) {
    std::vector<std::size_t> block;
    for (int t = 0; t < rows.steps; ++t) {
      for (int b = sequences.begin; b < sequences.end; ++b) {
        if (!rows.has(t, b)) continue;
        block.push_back(rows.index(t, b));
        if (block.size() == kBlock) {
          f(block);
          block.clear();
        }
      }
    }
    if (!block.empty()) f(block);
  }

  // Copies the rows, each `width` values, then `rest` up to `padded`.
  static std::vector<float> gather(const float* from, std::size_t width, std::size_t padded,
                                   const std::vector<std::size_t>& rows, float rest) {
    std::vector<float> out(rows.size() * padded, rest);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(from + rows[i] * width, width,
                  out.begin() + static_cast<std::ptrdiff_t>(i * padded));
    }
    return out;
  }

  // out[rows[i]] = a[i] × weights, for `width` columns.
  static void product(const std::vector<float>& a, const std::vector<std::size_t>& rows,
                      std::size_t depth, const float* weights, std::size_t width, float* out) {
    const std::size_t panel_size = depth * kLanes;
    for_each_tile<1>(
        static_cast<int>(rows.size()), static_cast<int>(panels(static_cast<int>(width))),
        [&](int first_panel, int panel_count, int first_row, int count) {
          const auto panel = static_cast<std::size_t>(first_panel);
          const auto row = static_cast<std::size_t>(first_row);
          alignas(64) float tile[kAccumulators * kLanes];
          multiply_for<1>(count, panel_count)({a.data() + row * depth, depth, depth},
                                              {weights + panel * panel_size, panel_size},
                                              Into::kNothing, nullptr, tile);
          const std::size_t begin = panel * kLanes;
          const std::size_t columns =
              std::min(static_cast<std::size_t>(panel_count) * kLanes, width - begin);
          for (int r = 0; r < count; ++r) {
            std::copy_n(tile + r * panel_count * kWidth, columns,
                        out + rows[row + static_cast<std::size_t>(r)] * width + begin);
          }
        });
  }
};

}  // namespace rwa::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
