// src/c_api/predict.cc: predictions for sequences in memory, as `rwa predict` makes for files.
#include "workflows/predict.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json.h"
#include "c_api/sequences.h"
#include "c_api/views.h"
#include "rwa/device.h"
#include "training/settings.h"
#include "workflows/predictions.h"
#include "workflows/trained.h"

struct rwa_predictions {
  std::vector<float> values;
  std::vector<std::int64_t> offsets;  // number of sequences + 1
};

namespace rwa::c_api {
namespace {
using Json = nlohmann::ordered_json;

constexpr const char* kModel = "the model";  // starts messages

workflows::PredictOptions parse_options(const char* text) {
  workflows::PredictOptions o;
  o.session.threads = default_threads();
  io::Fields options = read_options(text, "prediction options");
  options("batch", o.batch, {.least = 1, .most = training::kMostInBatch});
  read_session(options, o.session);
  options.finish();
  return o;
}

// Merges the predictions of sequences that were cut into pieces. Steps in two pieces get the
// prediction of the first, which has seen more context. A prediction per sequence is the mean over
// its pieces.
class Gatherer {
 public:
  // The encoding must outlive it.
  explicit Gatherer(const datasets::Encoding& encoding)
      : decoder_(encoding), width_(decoder_.names().size()) {}

  void add(const workflows::Sample& sample, std::span<const float> logits) {
    if (sample.from <= 1 || decoder_.is_of_forecasts()) begin();
    const auto first = static_cast<std::int64_t>(workflows::step_of(sample.from, 0)) - 1;
    const auto rows = static_cast<std::int64_t>(logits.size() / width_);
    for (std::int64_t row = 0; row < rows; ++row) {
      if (decoder_.every_step() && first + row < rows_) continue;
      decoder_.decode(sample.sequence,
                      logits.subspan(static_cast<std::size_t>(row) * width_, width_), prediction_);
      add_prediction();
    }
  }

  rwa_predictions finish() {
    begin();
    return std::move(out_);
  }

 private:
  // Completes the previous sequence and starts a new one.
  void begin() {
    if (!decoder_.every_step() && rows_ > 1) {
      for (float& value : std::span(out_.values).last(width_)) value /= static_cast<float>(rows_);
    }
    rows_ = 0;
    out_.offsets.push_back(static_cast<std::int64_t>(out_.values.size() / width_));
  }

  void add_prediction() {
    if (decoder_.every_step() || rows_ == 0) {
      out_.values.insert(out_.values.end(), prediction_.values.begin(), prediction_.values.end());
    } else {
      float* sum = out_.values.data() + out_.values.size() - width_;
      for (const float value : prediction_.values) *sum++ += value;
    }
    ++rows_;
  }

  const workflows::OutputDecoder decoder_;
  const std::size_t width_;
  workflows::Prediction prediction_;
  std::int64_t rows_ = 0;  // of the current sequence so far
  rwa_predictions out_;
};

rwa_predictions predict(const Model& model, const rwa_sequences& sequences,
                        const workflows::PredictOptions& options) {
  const datasets::Encoding encoding = workflows::encoding_of(model, kModel);
  auto words = std::make_shared<formats::Vocabulary>();
  auto reader = open_list(sequences, &encoding.schema, false, *words);
  Gatherer gatherer(encoding);
  workflows::predict(model, encoding,
                     workflows::samples_of(encoding, std::move(reader), std::move(words), false),
                     options, [&](const workflows::Sample& sample, std::span<const float> logits) {
                       gatherer.add(sample, logits);
                     });
  return gatherer.finish();
}

Json describe(const datasets::Encoding& encoding) {
  return {{"task", to_string(encoding.schema.target)},
          {"outputs", encoding.outputs()},
          {"every_step", encoding.answers_every_step()},
          {"horizon", encoding.forecast.horizon},
          {"input", to_string(encoding.schema.symbols ? Input::kSymbols : Input::kNumbers)},
          {"features", encoding.schema.features},
          {"symbols", encoding.alphabet}};
}
}  // namespace
}  // namespace rwa::c_api

using rwa::c_api::guarded;
using rwa::c_api::require;

extern "C" {

rwa_result rwa_model_data(const rwa_model* model, const char** json) {
  return guarded([&] {
    require(model, "model");
    require(json, "json");
    *json = rwa::c_api::keep_json(
        rwa::c_api::describe(rwa::workflows::encoding_of(model->model, rwa::c_api::kModel)));
  });
}

rwa_result rwa_predict(const rwa_model* model, const rwa_sequences* sequences, const char* options,
                       rwa_predictions** out) {
  return guarded([&] {
    require(model, "model");
    require(sequences, "sequences");
    require(out, "out");
    auto predictions =
        rwa::c_api::predict(model->model, *sequences, rwa::c_api::parse_options(options));
    *out = std::make_unique<rwa_predictions>(std::move(predictions)).release();
  });
}

rwa_result rwa_predictions_get(const rwa_predictions* predictions, const float** values,
                               const int64_t** offsets, size_t* sequences) {
  return guarded([&] {
    require(predictions, "predictions");
    require(values, "values");
    require(offsets, "offsets");
    require(sequences, "sequences");
    *values = predictions->values.data();
    *offsets = predictions->offsets.data();
    *sequences = predictions->offsets.size() - 1;
  });
}

void rwa_predictions_free(rwa_predictions* predictions) { delete predictions; }
}
