// src/backend/cuda/persistent_lstm.cu: the persistent kernels of the LSTM.
#include "backend/cuda/persistent_cell.cuh"

namespace rwa::cuda {

const PersistentKernels* lstm_kernels(Activation activation) {
  static const CellKernels<cells::Lstm<cells::Tanh>, true> bounded;
  static const CellKernels<cells::Lstm<cells::Identity>, false> unbounded;
  return activation == Activation::kTanh ? static_cast<const PersistentKernels*>(&bounded)
                                         : &unbounded;
}

}  // namespace rwa::cuda
