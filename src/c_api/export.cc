#include <memory>
#include <string>
#include <utility>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "c_api/sequences.h"
#include "datasets/files_read.h"
#include "export/onnx.h"
#include "export/torch_import.h"
#include "export/torch_module.h"
#include "rwa/c_api.h"
#include "workflows/imported.h"

namespace {
using rwa::c_api::guarded;
using rwa::c_api::read_options;
namespace io = rwa::io;
using rwa::c_api::require;
namespace exports = rwa::exports;

struct Import {
  exports::ImportOptions weights;
  rwa::workflows::NetworkData network;
  std::string missing = "refuse";
};

Import parse_import(const char* text, bool has_data) {
  Import import;
  exports::ImportOptions& o = import.weights;
  io::Fields options = read_options(text, "import options");
  options("rnn", o.rnn);
  options("head", o.head);
  options("embedding", o.embedding);
  options("no_head", o.no_head);
  options("readout", o.readout);
  options("loss", o.loss);
  if (has_data) {
    options("labels", import.network.labels);
    options("symbols", import.network.symbols);
    options("standardise", import.network.standardise);
    options("missing", import.missing);
  }
  options.finish();
  return import;
}

rwa::Model import_with_data(const char* path, const rwa_sequences& data, const Import& import) {
  rwa::datasets::FilesTask task;
  task.train = {"sequences"};
  task.kmer = data.kmer;
  task.missing = import.missing;
  task.split = 0;  // the means are those of all data
  task.scale = to_string(rwa::datasets::Scale::kData);
  const auto open = [&](const auto& /*paths*/, const rwa::formats::Options& /*options*/,
                        const std::shared_ptr<rwa::formats::Vocabulary>& words) {
    return rwa::c_api::open_list(data, nullptr, true, *words);
  };
  const auto files = rwa::datasets::open_files(task, 1, {}, {}, open);
  return rwa::workflows::import_torch(path, import.weights, *files, import.network);
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

rwa_result rwa_import_torch(const char* path, const rwa_sequences* data, const char* options,
                            rwa_model** out) {
  return guarded([&] {
    require(path, "path");
    require(out, "out");
    const Import import = parse_import(options, data != nullptr);
    auto made = data == nullptr ? exports::import_torch(path, import.weights)
                                : import_with_data(path, *data, import);
    *out = std::make_unique<rwa_model>(rwa_model{std::move(made)}).release();
  });
}

}  // extern "C"
