// src/backend/cuda/persistent_rwa.cu: the persistent kernels of the recurrent weighted average.
#include "backend/cuda/persistent_cell.cuh"

namespace rwa::cuda {

const PersistentKernels* rwa_kernels(Activation activation) {
  return cell_kernels<cells::Rwa>(activation);
}

}  // namespace rwa::cuda
