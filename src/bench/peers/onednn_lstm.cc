// src/bench/peers/onednn_lstm.cc: times oneDNN's fp32 LSTM primitive, the fastest recurrent layer
// that a C++ user on a CPU would otherwise choose, for comparison in `rwa bench`.
//
// It runs as a child process, which isolates its peak memory and its OpenMP threads, and `rwa` does
// not link oneDNN.
//
// Only the execution of primitives is timed. Creating them, reordering weights into their preferred
// layouts and filling inputs are excluded, in oneDNN's favour: a training loop would reorder after
// each update. A training step is the forward pass, the backward pass and zeroing the weight
// gradients, to which oneDNN adds.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <omp.h>
#include <dnnl.hpp>

#include "peer_main.h"

namespace {

using namespace rwa::bench::peers;
using dnnl::memory;
using Dim = memory::dim;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;

constexpr int kGates = 4;
constexpr int kMinRepetitions = 3;
// A streamed step takes microseconds, so the clock is read once per block of steps.
constexpr int kStreamBlock = 200;
constexpr auto kDirection = dnnl::rnn_direction::unidirectional_left2right;

struct Options {
  Dim batch = 100;
  Dim units = 250;
  Dim inputs = 1;
  Dim steps = 100;
  int threads = 1;
  std::string mode = "forward";
  double seconds = 1.0;
};

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--batch") {
    options.batch = parse_number(value, 1);
  } else if (name == "--units") {
    options.units = parse_number(value, 1);
  } else if (name == "--inputs") {
    options.inputs = parse_number(value, 1);
  } else if (name == "--steps") {
    options.steps = parse_number(value, 1);
  } else if (name == "--threads") {
    options.threads = parse_number(value, 1);
  } else if (name == "--seconds") {
    options.seconds = parse_seconds(value);
  } else if (name == "--mode" && (value == "forward" || value == "train" || value == "stream")) {
    options.mode = value;
  } else {
    throw std::invalid_argument(name);
  }
}

// The descriptors of one layer. The primitive chooses the layout of the weights (`any`); sequences
// keep the user's order, [step, batch, feature].
struct Shapes {
  explicit Shapes(const Options& o)
      : src(f32({o.steps, o.batch, o.inputs}, Tag::tnc)),
        dst(f32({o.steps, o.batch, o.units}, Tag::tnc)),
        state(f32({1, 1, o.batch, o.units}, Tag::ldnc)),
        weights_layer(f32({1, 1, o.inputs, kGates, o.units}, Tag::ldigo)),
        weights_iter(f32({1, 1, o.units, kGates, o.units}, Tag::ldigo)),
        bias(f32({1, 1, kGates, o.units}, Tag::ldgo)),
        any_layer(f32({1, 1, o.inputs, kGates, o.units}, Tag::any)),
        any_iter(f32({1, 1, o.units, kGates, o.units}, Tag::any)) {}

  static memory::desc f32(const memory::dims& dims, Tag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  }

  memory::desc src, dst, state;
  memory::desc weights_layer, weights_iter, bias;
  memory::desc any_layer, any_iter;
  memory::desc none;  // absent argument: oneDNN uses zeros
};

class Device {
 public:
  memory zeros(const memory::desc& desc) const {
    memory result(desc, engine_);
    std::memset(result.get_data_handle(), 0, desc.get_size());
    return result;
  }

  // Uniform numbers in [-bound, bound]; `desc` has a plain layout.
  memory uniform(const memory::desc& desc, float bound) {
    memory result(desc, engine_);
    auto* data = static_cast<float*>(result.get_data_handle());
    std::uniform_real_distribution<float> draw(-bound, bound);
    std::generate_n(data, desc.get_size() / sizeof(float), [&] { return draw(random_); });
    return result;
  }

  memory reordered(memory source, const memory::desc& desc) {
    if (source.get_desc() == desc) return source;
    memory result(desc, engine_);
    dnnl::reorder(source, result).execute(stream_, source, result);
    stream_.wait();
    return result;
  }

  void execute(const dnnl::primitive& primitive, const Arguments& arguments) {
    primitive.execute(stream_, arguments);
    stream_.wait();
  }

  const dnnl::engine& engine() const { return engine_; }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::mt19937 random_{1};
};

// A value that is not finite would mean that no working LSTM was timed.
void require_finite(const memory& values, const char* what) {
  const auto* data = static_cast<const float*>(values.get_data_handle());
  const size_t count = values.get_desc().get_size() / sizeof(float);
  if (!std::all_of(data, data + count, [](float value) { return std::isfinite(value); })) {
    throw std::runtime_error(std::string(what) + " has a value that is not finite");
  }
}

// Median seconds per call, over about `seconds` of calls after one warm-up call.
double median_seconds(double seconds, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  call();
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < kMinRepetitions || since(start) < seconds) {
    const auto begin = Clock::now();
    call();
    times.push_back(since(begin));
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// The parameters in the plain layout, before reordering for a primitive.
struct Parameters {
  Parameters(const Options& options, const Shapes& shapes, Device& device)
      : bound(1.0f / std::sqrt(static_cast<float>(options.units))),
        weights_layer(device.uniform(shapes.weights_layer, bound)),
        weights_iter(device.uniform(shapes.weights_iter, bound)),
        bias(device.uniform(shapes.bias, bound)) {}

  float bound;
  memory weights_layer, weights_iter, bias;
};

// The three weight arguments of `pd`, forward or backward, in the layouts it prefers.
template <typename PrimitiveDesc>
Arguments weight_arguments(const PrimitiveDesc& pd, const Parameters& parameters, Device& device) {
  return {
      {DNNL_ARG_WEIGHTS_LAYER, device.reordered(parameters.weights_layer, pd.weights_layer_desc())},
      {DNNL_ARG_WEIGHTS_ITER, device.reordered(parameters.weights_iter, pd.weights_iter_desc())},
      {DNNL_ARG_BIAS, parameters.bias}};
}

// Runs whole sequences from a zero state. Returns seconds per run.
double time_forward(const Options& options, Device& device) {
  const Shapes s(options);
  const Parameters parameters(options, s, device);
  const dnnl::lstm_forward::desc desc(dnnl::prop_kind::forward_inference, kDirection, s.src, s.none,
                                      s.none, s.any_layer, s.any_iter, s.bias, s.dst, s.none,
                                      s.none);
  const dnnl::lstm_forward::primitive_desc pd(desc, device.engine());
  const dnnl::lstm_forward lstm(pd);
  Arguments arguments = weight_arguments(pd, parameters, device);
  arguments.insert({DNNL_ARG_SRC_LAYER, device.uniform(s.src, 1.0f)});
  arguments.insert({DNNL_ARG_DST_LAYER, device.zeros(s.dst)});

  const double time = median_seconds(options.seconds, [&] { device.execute(lstm, arguments); });
  require_finite(arguments.at(DNNL_ARG_DST_LAYER), "the output");
  return time;
}

// Runs batch 1, one step per call, passing the states on. Returns seconds per step.
double time_stream(const Options& options, Device& device) {
  const Shapes s(options);
  const Parameters parameters(options, s, device);
  const dnnl::lstm_forward::desc desc(dnnl::prop_kind::forward_inference, kDirection, s.src,
                                      s.state, s.state, s.any_layer, s.any_iter, s.bias, s.dst,
                                      s.state, s.state);
  const dnnl::lstm_forward::primitive_desc pd(desc, device.engine());
  const dnnl::lstm_forward lstm(pd);
  Arguments even = weight_arguments(pd, parameters, device);
  even.insert({DNNL_ARG_SRC_LAYER, device.uniform(s.src, 1.0f)});
  even.insert({DNNL_ARG_DST_LAYER, device.zeros(s.dst)});
  Arguments odd = even;
  // Two pairs of states alternate as source and destination, so that no step copies them.
  for (const auto& [source, destination] : {std::pair{DNNL_ARG_SRC_ITER, DNNL_ARG_DST_ITER},
                                            std::pair{DNNL_ARG_SRC_ITER_C, DNNL_ARG_DST_ITER_C}}) {
    const memory first = device.zeros(s.state);
    const memory second = device.zeros(s.state);
    even.insert({{source, first}, {destination, second}});
    odd.insert({{source, second}, {destination, first}});
  }

  const double time = median_seconds(options.seconds, [&] {
    for (int i = 0; i < kStreamBlock; ++i) device.execute(lstm, i % 2 == 0 ? even : odd);
  });
  require_finite(even.at(DNNL_ARG_SRC_ITER), "the state");
  return time / kStreamBlock;
}

// The forward and backward primitives of a training step, with their arguments.
//
// The zero initial state is passed explicitly: without it, oneDNN 2.6.3 returns a wrong gradient of
// weights_iter (not zero even for a sequence of one step).
class TrainingStep {
 public:
  TrainingStep(const Options& options, Device& device)
      : device_(device), shapes_(options), parameters_(options, shapes_, device) {
    const Shapes& s = shapes_;
    const dnnl::lstm_forward::desc forward_desc(dnnl::prop_kind::forward_training, kDirection,
                                                s.src, s.state, s.state, s.any_layer, s.any_iter,
                                                s.bias, s.dst, s.none, s.none);
    const dnnl::lstm_forward::primitive_desc forward_pd(forward_desc, device.engine());
    const dnnl::lstm_backward::desc backward_desc(
        dnnl::prop_kind::backward, kDirection, s.src, s.state, s.state, s.any_layer, s.any_iter,
        s.bias, s.dst, s.none, s.none, s.src, s.state, s.state, s.any_layer, s.any_iter, s.bias,
        s.dst, s.none, s.none);
    const dnnl::lstm_backward::primitive_desc backward_pd(backward_desc, device.engine(),
                                                          forward_pd);
    forward_ = dnnl::lstm_forward(forward_pd);
    backward_ = dnnl::lstm_backward(backward_pd);
    forward_arguments_ = weight_arguments(forward_pd, parameters_, device);
    backward_arguments_ = weight_arguments(backward_pd, parameters_, device);
    add_sequences(device.zeros(forward_pd.workspace_desc()));
    add_gradients(backward_pd);
  }

  void run() {
    for (const int key : kAccumulated) {
      memory& gradient = backward_arguments_.at(key);
      std::memset(gradient.get_data_handle(), 0, gradient.get_desc().get_size());
    }
    device_.execute(forward_, forward_arguments_);
    device_.execute(backward_, backward_arguments_);
  }

  // A gradient in the plain layout.
  memory gradient(int key) {
    const memory& value = backward_arguments_.at(key);
    if (key == DNNL_ARG_DIFF_WEIGHTS_LAYER) return device_.reordered(value, shapes_.weights_layer);
    if (key == DNNL_ARG_DIFF_WEIGHTS_ITER) return device_.reordered(value, shapes_.weights_iter);
    return value;
  }

  static constexpr int kAccumulated[] = {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
                                         DNNL_ARG_DIFF_BIAS};

 private:
  // Arguments that both passes share.
  void add_sequences(const memory& workspace) {
    const memory src = device_.uniform(shapes_.src, 1.0f);
    const memory dst = device_.zeros(shapes_.dst);
    const memory state = device_.zeros(shapes_.state);
    for (Arguments* arguments : {&forward_arguments_, &backward_arguments_}) {
      arguments->insert({{DNNL_ARG_SRC_LAYER, src},
                         {DNNL_ARG_SRC_ITER, state},
                         {DNNL_ARG_SRC_ITER_C, state},
                         {DNNL_ARG_DST_LAYER, dst},
                         {DNNL_ARG_WORKSPACE, workspace}});
    }
  }

  // The loss reads every step, which costs no more than reading the last and keeps the gradients of
  // a long sequence from becoming denormal.
  void add_gradients(const dnnl::lstm_backward::primitive_desc& pd) {
    backward_arguments_.insert(
        {{DNNL_ARG_DIFF_SRC_LAYER, device_.zeros(shapes_.src)},
         {DNNL_ARG_DIFF_SRC_ITER, device_.zeros(shapes_.state)},
         {DNNL_ARG_DIFF_SRC_ITER_C, device_.zeros(shapes_.state)},
         {DNNL_ARG_DIFF_WEIGHTS_LAYER, device_.zeros(pd.diff_weights_layer_desc())},
         {DNNL_ARG_DIFF_WEIGHTS_ITER, device_.zeros(pd.diff_weights_iter_desc())},
         {DNNL_ARG_DIFF_BIAS, device_.zeros(shapes_.bias)},
         {DNNL_ARG_DIFF_DST_LAYER, device_.uniform(shapes_.dst, 1.0f)}});
  }

  Device& device_;
  Shapes shapes_;
  Parameters parameters_;
  dnnl::lstm_forward forward_;
  dnnl::lstm_backward backward_;
  Arguments forward_arguments_, backward_arguments_;
};

// Runs forward and backward over whole sequences. Returns seconds per run.
double time_train(const Options& options, Device& device) {
  TrainingStep step(options, device);
  const double time = median_seconds(options.seconds, [&] { step.run(); });
  for (const int key : TrainingStep::kAccumulated) {
    require_finite(step.gradient(key), "the gradient of the parameters");
  }
  require_finite(step.gradient(DNNL_ARG_DIFF_SRC_LAYER), "the gradient of the input");
  return time;
}

// Peak resident memory of this process in bytes; 0 if /proc does not tell.
long long peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void measure(Options options) {
  if (options.mode == "stream") options.batch = options.steps = 1;
  omp_set_num_threads(options.threads);
  Device device;
  double time = 0;
  if (options.mode == "forward") time = time_forward(options, device);
  if (options.mode == "train") time = time_train(options, device);
  if (options.mode == "stream") time = time_stream(options, device);
  std::printf(
      "{\"name\":\"onednn-lstm\",\"mode\":\"%s\",\"batch\":%lld,\"units\":%lld,\"inputs\":%lld,"
      "\"steps\":%lld,\"threads\":%d,\"us_per_step\":%.3f,\"peak_bytes\":%lld}\n",
      options.mode.c_str(), static_cast<long long>(options.batch),
      static_cast<long long>(options.units), static_cast<long long>(options.inputs),
      static_cast<long long>(options.steps), options.threads,
      time / static_cast<double>(options.steps) * 1e6, peak_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  return peer_main<Options>(argc, argv,
                            "rwa-bench-onednn --batch B --units H --inputs D --steps T "
                            "--threads N --mode forward|train|stream --seconds S",
                            set_option, measure);
}
