// src/backend/cuda/persistent_rwa.cu: the persistent kernels of the recurrent weighted average.
#include "backend/cuda/persistent_cell.cuh"

namespace rwa::cuda {

const PersistentKernels* rwa_kernels(Activation activation) {
  static const CellKernels<cells::Rwa<cells::Tanh>, true> bounded;
  static const CellKernels<cells::Rwa<cells::Identity>, false> unbounded;
  return activation == Activation::kTanh ? static_cast<const PersistentKernels*>(&bounded)
                                         : &unbounded;
}

}  // namespace rwa::cuda
