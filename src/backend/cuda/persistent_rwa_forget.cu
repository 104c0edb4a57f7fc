// src/backend/cuda/persistent_rwa_forget.cu: the persistent kernels of the recurrent weighted
// average with a forget gate or a half-life.
#include "backend/cuda/persistent_cell.cuh"

namespace rwa::cuda {

const PersistentKernels* rwa_forget_kernels(Activation activation) {
  return cell_kernels<cells::RwaForget>(activation);
}

}  // namespace rwa::cuda
