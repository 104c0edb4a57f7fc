// src/export/convolution.h: the weight of a convolution of the stem, as PyTorch and ONNX have it.
#pragma once

#include <span>
#include <vector>

namespace rwa::exports {

// Takes [channels, kernel·width], the latest step first, and returns [channels, width, kernel], the
// latest step last.
std::vector<float> convolution_weight(std::span<const float> values, int width, int kernel);

}  // namespace rwa::exports
