#include <memory>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/views.h"
#include "datasets/encoding.h"
#include "rwa/c_api.h"
#include "rwa/model.h"
#include "workflows/encoded_stream.h"

struct rwa_stream {
  rwa::Stream stream;
};

namespace {
using rwa::c_api::guarded;
using rwa::c_api::numbers;
using rwa::c_api::require;
}  // namespace

extern "C" {

rwa_result rwa_stream_new(const rwa_model* model, rwa_stream** out) {
  return guarded([&] {
    require(model, "model");
    require(out, "out");
    const auto data =
        rwa::datasets::find_encoding(model->model.notes(), model->model.config(), "the model");
    if (data) rwa::workflows::check_streamable(*data);
    *out = std::make_unique<rwa_stream>(rwa_stream{rwa::Stream(model->model)}).release();
  });
}

void rwa_stream_free(rwa_stream* stream) { delete stream; }

rwa_result rwa_stream_step(rwa_stream* stream, const float* x, size_t inputs, float* y,
                           size_t outputs) {
  return guarded([&] {
    require(stream, "stream");
    stream->stream.step(numbers(x, inputs, "x"), numbers(y, outputs, "y"));
  });
}

rwa_result rwa_stream_step_symbol(rwa_stream* stream, int32_t symbol, float* y, size_t outputs) {
  return guarded([&] {
    require(stream, "stream");
    stream->stream.step(symbol, numbers(y, outputs, "y"));
  });
}

rwa_result rwa_stream_reset(rwa_stream* stream) {
  return guarded([&] {
    require(stream, "stream");
    stream->stream.reset();
  });
}

rwa_result rwa_stream_state(const rwa_stream* stream, const float** values, size_t* count) {
  return guarded([&] {
    require(stream, "stream");
    require(values, "values");
    require(count, "count");
    const auto state = stream->stream.state();
    *values = state.data();
    *count = state.size();
  });
}

rwa_result rwa_stream_set_state(rwa_stream* stream, const float* values, size_t count) {
  return guarded([&] {
    require(stream, "stream");
    stream->stream.set_state(numbers(values, count, "values"));
  });
}
}
