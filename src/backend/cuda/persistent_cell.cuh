// src/backend/cuda/persistent_cell.cuh: one cell's persistent kernels in all shapes, and their
// launch.
#pragma once

#include "backend/cuda/persistent_backward.cuh"
#include "backend/cuda/persistent_forward.cuh"

namespace rwa::cuda {

// Calls visitor.operator()<P, S, NT>() with the product, splits and row tiles of a shape as
// constants. Exact products, for comparison and for unbounded activations, have one row tile.
template <Product P, class Visitor>
decltype(auto) visit_shape(const Shape& shape, Visitor&& visitor) {
  const auto with = [&]<int S>() -> decltype(auto) {
    if constexpr (P == Product::kSplit) {
      if (shape.row_tiles == 2) return visitor.template operator()<P, S, 2>();
      if (shape.row_tiles == 4) return visitor.template operator()<P, S, 4>();
    }
    return visitor.template operator()<P, S, 1>();
  };
  return shape.splits == 4 ? with.template operator()<4>() : with.template operator()<2>();
}

template <class C, bool kHasSplit>
class CellKernels final : public PersistentKernels {
 public:
  void forward(const Context& context, const Shape& shape,
               const ForwardArguments& arguments) const override {
    visit(shape, [&]<Product P, int S, int NT>() {
      const ForwardShared<C, P, S, NT> shared(shape.blocks, arguments.in.features,
                                              arguments.in.chunk);
      launch(context, shape, shared.bytes, forward_kernel<P, S, NT>(arguments.in.features),
             arguments);
    });
  }

  void backward(const Context& context, const Shape& shape,
                const BackwardArguments& arguments) const override {
    visit(shape, [&]<Product P, int S, int NT>() {
      const BackwardShared<C, P, S, NT> shared(shape.blocks, arguments.in.features,
                                               arguments.in.chunk);
      launch(context, shape, shared.bytes, backward_kernel<P, S, NT>(arguments.in.features),
             arguments);
    });
  }

  [[nodiscard]] int clusters(const Context& context, const Shape& shape,
                             const Features& features) const override {
    if (!kHasSplit && shape.product == Product::kSplit) return 0;
    if (shape.product == Product::kExact && shape.row_tiles > 1) return 0;
    const int chunk = chunk_steps(shape, features);
    return visit(shape, [&]<Product P, int S, int NT>() -> int {
      const ForwardShared<C, P, S, NT> there(shape.blocks, features, chunk);
      const BackwardShared<C, P, S, NT> back(shape.blocks, features, chunk);
      return min(resident(context, shape, there.bytes, forward_kernel<P, S, NT>(features)),
                 resident(context, shape, back.bytes, backward_kernel<P, S, NT>(features)));
    });
  }

  [[nodiscard]] int saved() const override { return C::kSaved; }

 private:
  template <Product P, int S, int NT>
  static auto* forward_kernel(const Features& features) {
    return features.in_table() ? run_forward<C, P, S, NT, true> : run_forward<C, P, S, NT, false>;
  }
  // Reads x again only if a pre-activation sees nothing but x.
  template <Product P, int S, int NT>
  static auto* backward_kernel(const Features& features) {
    constexpr bool kReadsX = C::kInputs > 0;
    return kReadsX && features.in_table() ? run_backward<C, P, S, NT, kReadsX>
                                          : run_backward<C, P, S, NT, false>;
  }

  template <class Visitor>
  static decltype(auto) visit(const Shape& shape, Visitor&& visitor) {
    if constexpr (kHasSplit) {
      if (shape.product == Product::kSplit) return visit_shape<Product::kSplit>(shape, visitor);
    }
    return visit_shape<Product::kExact>(shape, visitor);
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
      config.gridDim = dim3(static_cast<unsigned>(shape.blocks),
                            static_cast<unsigned>(shape.slices));
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
