// src/bench/measure.cc: times what a user would call, on random data, as often as time allows.
#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/device.h"
#include "rwa/model.h"
#include "rwa/trainer.h"

namespace rwa::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOutputs = 10;
constexpr std::size_t kMinRepetitions = 3;
// Shorter calls are timed in blocks of about this many seconds, so that reading the clock does not
// count.
constexpr double kShortestBlock = 1e-3;
constexpr int kLargestBlock = 10000;
// On a GPU this many calls are timed as one. The first calls allocate and capture a CUDA graph that
// later ones replay, so the warm-up must contain them all; and training steps overlap.
constexpr int kBurst = 4;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Median seconds of one call.
double median_seconds(double seconds, const std::function<void()>& call) {
  const auto warm_up = Clock::now();
  call();
  const double first = std::max(since(warm_up), 1e-9);
  const int block = static_cast<int>(std::clamp(kShortestBlock / first, 1.0, 1.0 * kLargestBlock));
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < kMinRepetitions || since(start) < seconds) {
    const auto begin = Clock::now();
    for (int i = 0; i < block; ++i) call();
    times.push_back(since(begin) / block);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

std::vector<float> uniform(std::size_t count) {
  std::vector<float> values(count);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> draw(-1.0f, 1.0f);
  std::ranges::generate(values, [&] { return draw(random); });
  return values;
}

std::vector<std::int32_t> some_symbols(std::size_t count, int symbols) {
  std::vector<std::int32_t> values(count);
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int32_t> draw(0, symbols - 1);
  std::ranges::generate(values, [&] { return draw(random); });
  return values;
}

ModelConfig config_of(const Case& what) {
  ModelConfig config{
      .inputs = what.inputs, .cell = what.cell, .units = what.units, .outputs = kOutputs};
  if (what.network == Network::kUpper) config.inputs = what.units;
  if (what.network == Network::kStack) config.layers = 2;
  config.bidirectional = what.network == Network::kBidirectional;
  if (what.network == Network::kEmbedding) {
    config.input = Input::kSymbols;
    config.inputs = kEmbeddingSymbols;
    config.embedding = kEmbeddingWidth;
  }
  return config;
}

struct Data {
  Data(const Case& what, const ModelConfig& config)
      : classes(size(what.batch)), y(size(what.batch) * size(kOutputs)) {
    const std::size_t rows = size(what.steps) * size(what.batch);
    if (config.input == Input::kSymbols) {
      symbols = some_symbols(rows, config.inputs);
    } else {
      x = uniform(rows * size(config.inputs));
    }
    if (what.ragged) lengths = ragged_lengths(what.steps, what.batch);
    for (std::size_t b = 0; b < classes.size(); ++b) {
      classes[b] = static_cast<std::int32_t>(b % size(kOutputs));
    }
    batch = {
        .x = x, .steps = what.steps, .batch = what.batch, .lengths = lengths, .symbols = symbols};
  }

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  std::vector<float> x;
  std::vector<std::int32_t> symbols;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> classes;
  std::vector<float> y;
  BatchView batch;
};

double time_stream(const Model& model, Data& data, double seconds) {
  Stream stream(model);
  return median_seconds(seconds, [&] { stream.step(data.x, data.y); });
}

double time_forward(const Model& model, const Case& what, Data& data, double seconds) {
  Session session(model, {.threads = what.threads});
  return median_seconds(seconds, [&] { session.run(data.batch, data.y); });
}

double time_train(const Model& model, const Case& what, const Data& data, double seconds) {
  Session session(model, {.threads = what.threads, .memory = what.memory});
  std::vector<float> gradient(model.parameter_count());
  // The layer below an upper layer needs the gradient of x.
  std::vector<float> x_gradient(what.network == Network::kUpper ? data.x.size() : 0);
  return median_seconds(seconds, [&] {
    // Gradients accumulate, so a training step begins by zeroing them.
    std::ranges::fill(gradient, 0.0f);
    std::ranges::fill(x_gradient, 0.0f);
    session.gradient(data.batch, {.classes = data.classes}, {.weights = gradient, .x = x_gradient});
  });
}

// Peak resident memory of this process in bytes; 0 if /proc does not tell.
std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

Sample measure_on_cpu(const Model& model, const Case& what, Data& data, double seconds) {
  double time = 0;
  switch (what.mode) {
    case Mode::kForward:
      time = time_forward(model, what, data, seconds);
      break;
    case Mode::kTrain:
      time = time_train(model, what, data, seconds);
      break;
    case Mode::kStream:
      time = time_stream(model, data, seconds);
      break;
  }
  return {time / what.steps * 1e6, peak_bytes()};
}

// The GPU memory in use is what becomes free when the session or trainer is destroyed.
Sample measure_on_gpu(Model& model, const Case& what, Data& data, double seconds) {
  const SessionOptions options{
      .threads = what.threads, .memory = what.memory, .device = what.device};
  double time = 0;
  std::int64_t free_before = 0;
  if (what.mode == Mode::kForward) {
    Session session(model, options);
    time = median_seconds(seconds, [&] {
      for (int i = 0; i < kBurst; ++i) session.run(data.batch, data.y);
    });
    free_before = free_device_bytes();
  } else {
    Trainer trainer(model, {.session = options});
    trainer.submit(data.batch, {.classes = data.classes});
    time = median_seconds(seconds, [&] {
      for (int i = 0; i < kBurst; ++i) {
        trainer.submit(data.batch, {.classes = data.classes});
        trainer.collect();
      }
    });
    trainer.collect();
    free_before = free_device_bytes();
  }
  return {time / kBurst / what.steps * 1e6, free_device_bytes() - free_before};
}

}  // namespace

Sample measure(const Case& what, double seconds) {
  const ModelConfig config = config_of(what);
  Model model(config);
  Data data(what, config);
  return what.on_cpu() ? measure_on_cpu(model, what, data, seconds)
                       : measure_on_gpu(model, what, data, seconds);
}

std::string to_line(const Sample& sample) {
  return nlohmann::json{{"us_per_step", sample.us_per_step}, {"peak_bytes", sample.peak_bytes}}
             .dump() +
         "\n";
}

// Ignores unknown keys: helpers also report what they ran.
std::optional<Sample> parse_sample(const std::string& line) {
  try {
    const auto json = nlohmann::json::parse(line);
    const Sample sample{json.at("us_per_step").get<double>(),
                        json.at("peak_bytes").get<std::int64_t>()};
    if (std::isfinite(sample.us_per_step) && sample.us_per_step > 0) return sample;
  } catch (const nlohmann::json::exception&) {
    // Not JSON, or keys are missing.
  }
  return std::nullopt;
}

}  // namespace rwa::bench
