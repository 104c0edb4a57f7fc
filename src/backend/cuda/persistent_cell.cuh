// src/backend/cuda/persistent_cell.cuh: one cell's persistent kernels in all shapes, and their
// launch.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cuda/persistent_backward.cuh"
#include "backend/cuda/persistent_forward.cuh"

namespace rwa::cuda {

// The forms of a cell's kernels, from the smallest slices to the largest.
template <class... F>
struct Forms {
  static std::vector<Shape> shapes(const PackedSizes& sizes) {
    std::vector<Shape> found;
    const int warps = sizes.padded_units > kFewUnits ? 16 : 8;
    (add<F>(sizes.padded_units, warps, found), ...);
    return found;
  }

  // Calls visitor.operator()<F>() with the shape's form.
  template <class Visitor>
  static void visit(const Shape& shape, Visitor&& visitor) {
    ((is<F>(shape) ? visitor.template operator()<F>() : void()), ...);
  }

 private:
  template <class G>
  static void add(int units, int warps, std::vector<Shape>& found) {
    if (G::kWarps != warps) return;
    found.push_back({.blocks = units / G::kUnits,
                     .block_units = G::kUnits,
                     .warps = G::kWarps,
                     .rows = G::kRows,
                     .product = G::kProduct});
  }
  template <class G>
  static bool is(const Shape& shape) {
    return shape.block_units == G::kUnits && shape.warps == G::kWarps && shape.rows == G::kRows;
  }
};

// Products of split halves. With two gates, blocks of 64 units have room for all weights up to 256
// units; slices of 32 rows leave too few registers for that.
template <class C, Product P, int Gates = C::kGates>
struct FormsOf;
template <class C>
struct FormsOf<C, Product::kSplit, 2> {
  static constexpr Product P = Product::kSplit;
  using Type = Forms<Form<C, P, 64, 8, 4>, Form<C, P, 64, 8, 8>, Form<C, P, 64, 8, 16>,
                     Form<C, P, 32, 8, 32>, Form<C, P, 32, 16, 8>, Form<C, P, 32, 16, 16>,
                     Form<C, P, 32, 16, 32>>;
};
template <class C>
struct FormsOf<C, Product::kSplit, 4> {
  static constexpr Product P = Product::kSplit;
  using Type = Forms<Form<C, P, 32, 8, 8>, Form<C, P, 32, 8, 16>, Form<C, P, 32, 8, 32>,
                     Form<C, P, 32, 16, 8>, Form<C, P, 32, 16, 16>, Form<C, P, 32, 16, 32>>;
};
// Exact products, for comparison and for unbounded activations.
template <class C, int Gates>
struct FormsOf<C, Product::kExact, Gates> {
  static constexpr Product P = Product::kExact;
  using Type = Forms<Form<C, P, 32, 8, 8>, Form<C, P, 32, 16, 8>>;
};

template <class C, bool kHasSplit>
class CellKernels final : public PersistentKernels {
 public:
  void forward(const Context& context, const Shape& shape,
               const ForwardArguments& arguments) const override {
    visit(shape, [&]<class F>() {
      const ForwardShared<F> shared(shape.blocks, arguments.in.features, arguments.in.chunk);
      launch(context, shape, shared.bytes,
             forward_kernel<F>(arguments.in.features, arguments.has_tape()), arguments);
    });
  }

  void backward(const Context& context, const Shape& shape,
                const BackwardArguments& arguments) const override {
    visit(shape, [&]<class F>() {
      const BackwardShared<F> shared(shape.blocks, arguments.in.features, arguments.in.chunk);
      launch(context, shape, shared.bytes, backward_kernel<F>(arguments.in.features), arguments);
    });
  }

  [[nodiscard]] std::vector<Shape> shapes(const PackedSizes& sizes) const override {
    if constexpr (kHasSplit) {
      if (sizes.product == Product::kSplit) return SplitForms::shapes(sizes);
    }
    return sizes.product == Product::kExact ? ExactForms::shapes(sizes) : std::vector<Shape>{};
  }

  [[nodiscard]] int clusters(const Context& context, const Shape& shape,
                             const Features& features) const override {
    const int chunk = chunk_steps(shape, features);
    int found = 0;
    visit(shape, [&]<class F>() {
      const ForwardShared<F> there(shape.blocks, features, chunk);
      const BackwardShared<F> back(shape.blocks, features, chunk);
      found = std::min(resident(context, shape, there.bytes, forward_kernel<F>(features, true)),
                       resident(context, shape, back.bytes, backward_kernel<F>(features)));
    });
    return found;
  }

  [[nodiscard]] int saved() const override { return C::kSaved; }

 private:
  using SplitForms = typename FormsOf<C, Product::kSplit>::Type;
  using ExactForms = typename FormsOf<C, Product::kExact>::Type;

  template <class F>
  static auto* forward_kernel(const Features& features, bool tape) {
    if (features.in_table()) return tape ? run_forward<F, true, true> : run_forward<F, true, false>;
    return tape ? run_forward<F, false, true> : run_forward<F, false, false>;
  }
  // Reads x again only if a pre-activation sees nothing but x.
  template <class F>
  static auto* backward_kernel(const Features& features) {
    constexpr bool kReadsX = C::kInputs > 0;
    return kReadsX && features.in_table() ? run_backward<F, kReadsX> : run_backward<F, false>;
  }

  template <class Visitor>
  static void visit(const Shape& shape, Visitor&& visitor) {
    if constexpr (kHasSplit) {
      if (shape.product == Product::kSplit) return SplitForms::visit(shape, visitor);
    }
    ExactForms::visit(shape, visitor);
  }

  struct Launch {
    template <class Function>
    Launch(const Context& context, const Shape& shape, std::uint32_t shared_bytes,
           Function kernel) {
      // The maximum: the attribute is per kernel, and other threads may launch it with other sizes.
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 context.shared_memory),
            "shared memory of a persistent kernel");
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            "cluster size of a persistent kernel");
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {static_cast<unsigned>(shape.blocks), 1, 1};
      config.gridDim =
          dim3(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.slices));
      config.blockDim = dim3(static_cast<unsigned>(shape.threads()));
      config.dynamicSmemBytes = shared_bytes;
      config.stream = context.stream;
      config.attrs = &attribute;
      config.numAttrs = 1;
    }
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
  };

  template <class Function, class Arguments>
  static void launch(const Context& context, const Shape& shape, std::uint32_t shared_bytes,
                     Function kernel, const Arguments& arguments) {
    const Launch what(context, shape, shared_bytes, kernel);
    check(cudaLaunchKernelEx(&what.config, kernel, arguments), "a persistent kernel");
  }

  template <class Function>
  static int resident(const Context& context, const Shape& shape, std::uint32_t shared_bytes,
                      Function kernel) {
    if (shared_bytes > static_cast<std::uint32_t>(context.shared_memory)) return 0;
    const Launch what(context, shape, shared_bytes, kernel);
    int clusters = 0;
    check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &what.config),
          "cudaOccupancyMaxActiveClusters");
    return clusters;
  }
};

// The kernels of a cell for either activation.
template <template <class> class Cell>
const PersistentKernels* cell_kernels(Activation activation) {
  static const CellKernels<cells::OnDevice<Cell<cells::Tanh>>, true> bounded;
  static const CellKernels<cells::OnDevice<Cell<cells::Identity>>, false> unbounded;
  return activation == Activation::kTanh ? static_cast<const PersistentKernels*>(&bounded)
                                         : &unbounded;
}

}  // namespace rwa::cuda
