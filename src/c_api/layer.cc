#include "rwa/layer.h"

#include <memory>
#include <string_view>
#include <vector>

#include "c_api/guard.h"
#include "c_api/json.h"
#include "rwa/c_api.h"

struct rwa_layer {
  rwa::Layer layer;
};

struct rwa_tape {
  rwa::Tape tape;
};

namespace {
using rwa::c_api::guarded;
using rwa::c_api::require;

rwa::LayerConfig read_config(const char* text) {
  rwa::LayerConfig c;
  rwa::io::Fields read = rwa::c_api::read_options(text, "layer configuration");
  read("cell", c.cell);
  read("activation", c.activation);
  read("inputs", c.inputs);
  read("units", c.units);
  read("reverse", c.reverse);
  read("device", c.device);
  read("threads", c.threads);
  read("memory", c.memory);
  read.finish();
  return c;
}

nlohmann::ordered_json describe(const rwa::Layer& layer) {
  const rwa::LayerLayout& layout = layer.layout();
  const auto units = static_cast<std::size_t>(layer.config().units);
  const auto rows = [&](const std::vector<std::string_view>& blocks) {
    return blocks.size() * units;
  };
  return {{"parameters", layout.parameters},
          {"weight_x", {rows(layout.gates_x), layer.config().inputs}},
          {"weight_h", {rows(layout.gates_h), units}},
          {"bias", {rows(layout.gates_bias)}},
          {"start", {rows(layout.gates_start)}},
          {"gates_x", layout.gates_x},
          {"gates_h", layout.gates_h},
          {"gates_bias", layout.gates_bias},
          {"gates_start", layout.gates_start},
          {"state", layout.state},
          {"carried", layout.carried}};
}

rwa::LayerInput view(const rwa_layer_input* in) {
  require(in, "in");
  rwa::LayerInput view{.parameters = in->parameters,
                       .x = in->x,
                       .state = in->state,
                       .steps = in->steps,
                       .batch = in->batch};
  if (in->lengths != nullptr && in->batch > 0) {
    view.lengths = {in->lengths, static_cast<std::size_t>(in->batch)};
  }
  return view;
}
}  // namespace

extern "C" {

rwa_result rwa_layer_new(const char* config, rwa_layer** out) {
  return guarded([&] {
    require(out, "out");
    *out = new rwa_layer{rwa::Layer(read_config(config))};
  });
}

void rwa_layer_free(rwa_layer* layer) { delete layer; }

rwa_result rwa_layer_describe(const rwa_layer* layer, const char** json) {
  return guarded([&] {
    require(layer, "layer");
    require(json, "json");
    *json = rwa::c_api::keep_json(describe(layer->layer));
  });
}

rwa_result rwa_layer_forward(rwa_layer* layer, const rwa_layer_input* in,
                             const rwa_layer_output* out, void* stream, rwa_tape** tape) {
  return guarded([&] {
    require(layer, "layer");
    require(out, "out");
    const rwa::LayerOutput to{.h = out->h, .state = out->state};
    if (tape == nullptr) {
      layer->layer.run(view(in), to, stream);
    } else {
      *tape = new rwa_tape{layer->layer.forward(view(in), to, stream)};
    }
  });
}

rwa_result rwa_layer_backward(rwa_tape* tape, const rwa_layer_input* in,
                              const rwa_layer_gradient* gradient, void* stream) {
  return guarded([&] {
    require(tape, "tape");
    require(gradient, "gradient");
    tape->tape.backward(view(in),
                        {.h = gradient->h,
                         .state = gradient->state,
                         .parameters = gradient->parameters,
                         .x = gradient->x,
                         .initial = gradient->initial},
                        stream);
  });
}

void rwa_tape_free(rwa_tape* tape) { delete tape; }
}
