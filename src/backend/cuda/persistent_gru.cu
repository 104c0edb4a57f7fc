// src/backend/cuda/persistent_gru.cu: the persistent kernels of the GRU.
#include "backend/cuda/persistent_cell.cuh"

namespace rwa::cuda {

const PersistentKernels* gru_kernels(Activation activation) {
  return cell_kernels<cells::Gru>(activation);
}

}  // namespace rwa::cuda
