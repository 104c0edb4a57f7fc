// src/export/no_onnx/no_onnx.cc: stands in for src/export/onnx in a build without ONNX.
#include "export/onnx.h"
#include "rwa/errors.h"

namespace rwa::exports {

void export_onnx(const Model&, const std::filesystem::path&, const OnnxOptions&) {
  throw ConfigError(
      "this build has no ONNX export: build rwa with onnx and protobuf (-DRWA_ONNX=ON), or export "
      "to PyTorch");
}

}  // namespace rwa::exports
