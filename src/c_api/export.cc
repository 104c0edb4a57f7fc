#include <memory>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "export/onnx.h"
#include "export/torch_import.h"
#include "export/torch_module.h"
#include "rwa/c_api.h"

namespace {
using rwa::c_api::guarded;
using rwa::c_api::read_options;
namespace io = rwa::io;
using rwa::c_api::require;
namespace exports = rwa::exports;

exports::ImportOptions parse_import(const char* text) {
  exports::ImportOptions o;
  io::Fields options = read_options(text, "import options");
  options("rnn", o.rnn);
  options("head", o.head);
  options("embedding", o.embedding);
  options("no_head", o.no_head);
  options("readout", o.readout);
  options("loss", o.loss);
  options.finish();
  return o;
}
}  // namespace

extern "C" {

rwa_result rwa_export_onnx(const rwa_model* model, const char* path, const char* options) {
  return guarded([&] {
    require(model, "model");
    require(path, "path");
    exports::OnnxOptions o;
    io::Fields reader = read_options(options, "export options");
    reader("step", o.step);
    reader.finish();
    exports::export_onnx(model->model, path, o);
  });
}

rwa_result rwa_export_torch(const rwa_model* model, const char* path) {
  return guarded([&] {
    require(model, "model");
    require(path, "path");
    exports::export_torch(model->model, path);
  });
}

rwa_result rwa_import_torch(const char* path, const char* options, rwa_model** out) {
  return guarded([&] {
    require(path, "path");
    require(out, "out");
    auto made = exports::import_torch(path, parse_import(options));
    *out = std::make_unique<rwa_model>(rwa_model{std::move(made)}).release();
  });
}

}  // extern "C"
