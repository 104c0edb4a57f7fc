// src/backend/cuda/persistent_lstm.cu: the persistent kernels of the LSTM.
#include "backend/cuda/persistent_cell.cuh"

namespace rwa::cuda {

const PersistentKernels* lstm_kernels(Activation activation) {
  return cell_kernels<cells::Lstm>(activation);
}

}  // namespace rwa::cuda
