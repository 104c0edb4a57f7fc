// tests/support/cuda.h: tests on a GPU, skipped if there is none.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "backend/device.h"

namespace rwa::cases {

class OnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_devices() == 0) GTEST_SKIP() << "no GPU that CUDA can use";
  }
  void TearDown() override { unsetenv("RWA_CUDA"); }

  // With the kernels of that name, or the default ones.
  static std::unique_ptr<Backend<float>> make(const std::string& path = "", int share = 1) {
    path.empty() ? unsetenv("RWA_CUDA") : setenv("RWA_CUDA", path.c_str(), 1);
    return make_cuda_backend(0, share);
  }
};

// With a backend of the default kernels.
class OnCudaBackend : public OnCuda {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    if (!IsSkipped()) backend = make();
  }

  std::unique_ptr<Backend<float>> backend;
};

}  // namespace rwa::cases
