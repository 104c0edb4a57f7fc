#include "rwa/model.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "model/config_json.h"
#include "rwa/c_api.h"
#include "training/run_folder.h"

namespace {
using rwa::Model;
using rwa::c_api::guarded;
using rwa::c_api::keep;
using rwa::c_api::keep_json;
using rwa::c_api::require;
using Json = nlohmann::ordered_json;

rwa_model* handle(Model model) {
  return std::make_unique<rwa_model>(rwa_model{std::move(model)}).release();
}

rwa::ModelConfig parse_config(const char* text) {
  rwa::ModelConfig config;
  rwa::io::Fields fields = rwa::c_api::read_options(text, "model configuration");
  rwa::visit_fields(config, fields);
  fields.finish();
  return config;
}
}  // namespace

extern "C" {

rwa_result rwa_model_new(const char* config, rwa_model** out) {
  return guarded([&] {
    require(out, "out");
    *out = handle(Model(parse_config(config)));
  });
}

rwa_result rwa_model_load(const char* path, rwa_model** out) {
  return guarded([&] {
    require(path, "path");
    require(out, "out");
    *out = handle(Model::load(rwa::training::model_file(path)));
  });
}

rwa_result rwa_model_save(const rwa_model* model, const char* path) {
  return guarded([&] {
    require(model, "model");
    require(path, "path");
    model->model.save(path);
  });
}

void rwa_model_free(rwa_model* model) { delete model; }

rwa_result rwa_model_config(const rwa_model* model, const char** json) {
  return guarded([&] {
    require(model, "model");
    require(json, "json");
    *json = keep(rwa::format_config(model->model.config()));
  });
}

rwa_result rwa_model_describe(const rwa_model* model, const char** json) {
  return guarded([&] {
    require(model, "model");
    require(json, "json");
    Json all = Json::array();
    for (const auto& part : rwa::describe(model->model.config())) {
      all.push_back({{"name", part.name},
                     {"what", part.what},
                     {"shape", part.shape},
                     {"parameters", part.parameters}});
    }
    *json = keep_json(all);
  });
}

rwa_result rwa_model_parameters(const rwa_model* model, const char** json) {
  return guarded([&] {
    require(model, "model");
    require(json, "json");
    const float* const begin = model->model.weights().data();
    Json all = Json::array();
    for (const auto& parameter : model->model.parameters()) {
      all.push_back({{"name", parameter.name},
                     {"shape", parameter.shape},
                     {"offset", parameter.values.data() - begin},
                     {"size", parameter.values.size()}});
    }
    *json = keep_json(all);
  });
}

rwa_result rwa_model_weights(const rwa_model* model, const float** values, size_t* count) {
  return guarded([&] {
    require(model, "model");
    require(values, "values");
    require(count, "count");
    const auto weights = model->model.weights();
    *values = weights.data();
    *count = weights.size();
  });
}

rwa_result rwa_model_set_weights(rwa_model* model, const float* values, size_t count) {
  return guarded([&] {
    require(model, "model");
    if (count > 0) require(values, "values");
    model->model.set_weights({values, count});
  });
}

rwa_result rwa_model_set_parameter(rwa_model* model, const char* name, const float* values,
                                   size_t count) {
  return guarded([&] {
    require(model, "model");
    require(name, "name");
    if (count > 0) require(values, "values");
    model->model.set_parameter(name, {values, count});
  });
}

rwa_result rwa_model_notes(const rwa_model* model, const char** json) {
  return guarded([&] {
    require(model, "model");
    require(json, "json");
    *json = keep_json(Json(model->model.notes()));
  });
}

rwa_result rwa_model_set_note(rwa_model* model, const char* name, const char* text) {
  return guarded([&] {
    require(model, "model");
    require(name, "name");
    require(text, "text");
    model->model.set_note(name, text);
  });
}
}
