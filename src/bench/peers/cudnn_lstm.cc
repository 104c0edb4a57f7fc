// src/bench/peers/cudnn_lstm.cc: times cuDNN's LSTM, the recurrent layer that every framework runs
// on an NVIDIA GPU, for comparison in `rwa bench`.
//
// It runs as a child process, so that `rwa` does not link cuDNN.
//
// CUDA events time the cuDNN calls only; inputs and weights are already in device memory. A
// training step is the forward pass, both backward passes and zeroing the weight gradients, to
// which cuDNN adds. It has no loss and no optimiser.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include "peer_main.h"

namespace {

using namespace rwa::bench::peers;

constexpr std::size_t kMinRepetitions = 3;
// The first calls load kernels and choose among them.
constexpr int kWarmUps = 3;
// Large arrays repeat this many random numbers: an odd count, so that no two rows are equal.
constexpr std::size_t kDistinct = 1'000'003;

struct Options {
  int device = 0;
  int batch = 100;
  int units = 250;
  int inputs = 1;
  int steps = 100;
  std::string mode = "forward";
  std::string variant = "fp32 standard";
  double seconds = 1.0;
};

// The meaning of a variant's two words.
struct Variant {
  cudnnDataType_t type;
  cudnnMathType_t math;
  cudnnRNNAlgo_t algorithm;
};

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

template <class T>
T look_up(const Words<T>& words, const std::string& word) {
  for (const auto& [known, value] : words) {
    if (known == word) return value;
  }
  throw std::invalid_argument(word);
}

Variant parse_variant(const std::string& text) {
  // cuDNN's default for fp32 is TF32; fp16 accumulates in fp32.
  static const Words<std::pair<cudnnDataType_t, cudnnMathType_t>> precisions = {
      {"fp32", {CUDNN_DATA_FLOAT, CUDNN_FMA_MATH}},
      {"tf32", {CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH}},
      {"fp16", {CUDNN_DATA_HALF, CUDNN_TENSOR_OP_MATH}}};
  static const Words<cudnnRNNAlgo_t> algorithms = {
      {"standard", CUDNN_RNN_ALGO_STANDARD},
      {"persist-static", CUDNN_RNN_ALGO_PERSIST_STATIC},
      {"persist-small", CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H},
      {"persist-dynamic", CUDNN_RNN_ALGO_PERSIST_DYNAMIC}};
  const std::size_t space = text.find(' ');
  if (space == text.npos) throw std::invalid_argument(text);
  const auto [type, math] = look_up(precisions, text.substr(0, space));
  return {type, math, look_up(algorithms, text.substr(space + 1))};
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  static const Words<int Options::*> sizes = {{"--batch", &Options::batch},
                                              {"--units", &Options::units},
                                              {"--inputs", &Options::inputs},
                                              {"--steps", &Options::steps}};
  if (name == "--device") {
    options.device = parse_gpu(value);
  } else if (name == "--seconds") {
    options.seconds = parse_seconds(value);
  } else if (name == "--variant") {
    parse_variant(value);
    options.variant = value;
  } else if (name == "--mode" && (value == "forward" || value == "train")) {
    options.mode = value;
  } else if (name != "--threads") {  // host threads: ignored
    options.*look_up(sizes, name) = parse_number(value, 1);
  }
}

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

// On one line: `rwa bench` shows only the last line.
std::string last_cudnn_error() {
  std::array<char, 1024> text{};
  cudnnGetLastErrorString(text.data(), text.size());
  std::string line = text.data();
  std::ranges::replace(line, '\n', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

void check(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string reason = last_cudnn_error();
  throw std::runtime_error(std::string(what) + ": " + cudnnGetErrorString(status) +
                           (reason.empty() ? "" : " (" + reason + ")"));
}

// Owns a cuDNN object, given its create and destroy functions.
template <class T, cudnnStatus_t (*Create)(T*), cudnnStatus_t (*Destroy)(T)>
class Owned {
 public:
  Owned() { check(Create(&value_), "cudnnCreate"); }
  ~Owned() { (void)Destroy(value_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator T() const { return value_; }  // NOLINT: passed to cuDNN as is

 private:
  T value_ = nullptr;
};

using Handle = Owned<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using Dropout =
    Owned<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor, cudnnDestroyDropoutDescriptor>;
using Rnn = Owned<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using RnnData =
    Owned<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor, cudnnDestroyRNNDataDescriptor>;
using Tensor =
    Owned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;

// Device memory.
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) check(cudaMalloc(&data_, bytes), "cudaMalloc");
  }
  ~Array() { (void)cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // Repeats `pattern`, doubling the filled part with each copy.
  void fill(const void* pattern, std::size_t pattern_bytes) {
    std::size_t filled = std::min(pattern_bytes, bytes_);
    check(cudaMemcpy(data_, pattern, filled, cudaMemcpyHostToDevice), "cudaMemcpy");
    while (filled < bytes_) {
      const std::size_t more = std::min(filled, bytes_ - filled);
      check(cudaMemcpy(static_cast<char*>(data_) + filled, data_, more, cudaMemcpyDeviceToDevice),
            "cudaMemcpy");
      filled += more;
    }
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

std::size_t size_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_HALF ? sizeof(__half) : sizeof(float);
}

// Uniform numbers in [-bound, bound].
void fill_uniform(Array& array, cudnnDataType_t type, float bound, std::mt19937& random) {
  std::uniform_real_distribution<float> draw(-bound, bound);
  std::vector<float> values(std::min(kDistinct, array.bytes() / size_of(type)));
  std::ranges::generate(values, [&] { return draw(random); });
  if (type == CUDNN_DATA_FLOAT) {
    array.fill(values.data(), values.size() * sizeof(float));
    return;
  }
  std::vector<__half> halves(values.size());
  std::ranges::transform(values, halves.begin(), [](float value) { return __float2half(value); });
  array.fill(halves.data(), halves.size() * sizeof(__half));
}

// A value that is not finite would mean that no working LSTM was timed.
void require_finite(const Array& array, cudnnDataType_t type, const char* what) {
  std::vector<char> bytes(array.bytes());
  check(cudaMemcpy(bytes.data(), array.data(), bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  const auto all_finite = [&]<class T>(const T* values) {
    return std::all_of(values, values + bytes.size() / sizeof(T),
                       [](T value) { return std::isfinite(static_cast<float>(value)); });
  };
  const bool finite = type == CUDNN_DATA_HALF
                          ? all_finite(reinterpret_cast<const __half*>(bytes.data()))
                          : all_finite(reinterpret_cast<const float*>(bytes.data()));
  if (!finite) throw std::runtime_error(std::string(what) + " has a value that is not finite");
}

// One layer that starts from a zero state, on sequences of equal length.
class Lstm {
 public:
  Lstm(const Options& options, cudaStream_t stream)
      : options_(options), variant_(parse_variant(options.variant)), stream_(stream) {
    check(cudnnSetStream(handle_, stream), "cudnnSetStream");
    describe_layer();
    describe_data();
    allocate();
    std::mt19937 random(1);
    const float bound = 1.0f / std::sqrt(static_cast<float>(options.units));
    fill_uniform(*weights_, variant_.type, bound, random);
    fill_uniform(*x_, variant_.type, 1.0f, random);
    if (trains()) fill_uniform(*dy_, variant_.type, 0.1f, random);
  }

  void run() {
    forward();
    if (trains()) backward();
  }

  void require_finite_results() const {
    require_finite(*y_, variant_.type, "the output");
    if (trains()) require_finite(*dweights_, variant_.type, "the gradient of the parameters");
  }

 private:
  [[nodiscard]] bool trains() const { return options_.mode == "train"; }
  [[nodiscard]] cudnnForwardMode_t forward_mode() const {
    return trains() ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
  }
  [[nodiscard]] std::size_t sequence_bytes(int width) const {
    return static_cast<std::size_t>(options_.steps) * static_cast<std::size_t>(options_.batch) *
           static_cast<std::size_t>(width) * size_of(variant_.type);
  }

  void describe_layer() {
    check(cudnnSetDropoutDescriptor(dropout_, handle_, 0, nullptr, 0, 0),
          "cudnnSetDropoutDescriptor");
    check(cudnnSetRNNDescriptor_v8(rnn_, variant_.algorithm, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                   CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, variant_.type,
                                   CUDNN_DATA_FLOAT, variant_.math, options_.inputs, options_.units,
                                   options_.units, 1, dropout_, CUDNN_RNN_PADDED_IO_DISABLED),
          "cudnnSetRNNDescriptor_v8");
    if (variant_.algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC) {
      check(cudnnBuildRNNDynamic(handle_, rnn_, options_.batch), "cudnnBuildRNNDynamic");
    }
  }

  void describe_data() {
    const std::vector<int> lengths(static_cast<std::size_t>(options_.batch), options_.steps);
    const auto describe = [&](const RnnData& data, int width) {
      check(
          cudnnSetRNNDataDescriptor(data, variant_.type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                    options_.steps, options_.batch, width, lengths.data(), nullptr),
          "cudnnSetRNNDataDescriptor");
    };
    describe(x_shape_, options_.inputs);
    describe(y_shape_, options_.units);
    const std::array<int, 3> dims = {1, options_.batch, options_.units};
    const std::array<int, 3> strides = {options_.batch * options_.units, options_.units, 1};
    check(cudnnSetTensorNdDescriptor(state_shape_, variant_.type, 3, dims.data(), strides.data()),
          "cudnnSetTensorNdDescriptor");
    lengths_.emplace(lengths.size() * sizeof(int));
    lengths_->fill(lengths.data(), lengths_->bytes());
  }

  void allocate() {
    std::size_t weight_bytes = 0;
    std::size_t work_bytes = 0;
    std::size_t reserve_bytes = 0;
    check(cudnnGetRNNWeightSpaceSize(handle_, rnn_, &weight_bytes), "cudnnGetRNNWeightSpaceSize");
    check(cudnnGetRNNTempSpaceSizes(handle_, rnn_, forward_mode(), x_shape_, &work_bytes,
                                    &reserve_bytes),
          "cudnnGetRNNTempSpaceSizes");
    weights_.emplace(weight_bytes);
    work_.emplace(work_bytes);
    reserve_.emplace(reserve_bytes);
    x_.emplace(sequence_bytes(options_.inputs));
    y_.emplace(sequence_bytes(options_.units));
    if (!trains()) return;
    dweights_.emplace(weight_bytes);
    dx_.emplace(sequence_bytes(options_.inputs));
    dy_.emplace(sequence_bytes(options_.units));
  }

  void forward() {
    check(cudnnRNNForward(handle_, rnn_, forward_mode(), lengths(), x_shape_, x_->data(), y_shape_,
                          y_->data(), state_shape_, nullptr, nullptr, state_shape_, nullptr,
                          nullptr, weights_->bytes(), weights_->data(), work_->bytes(),
                          work_->data(), reserve_->bytes(), reserve_->data()),
          "cudnnRNNForward");
  }

  // The loss reads every step, which costs no more than reading the last.
  void backward() {
    check(cudnnRNNBackwardData_v8(handle_, rnn_, lengths(), y_shape_, y_->data(), dy_->data(),
                                  x_shape_, dx_->data(), state_shape_, nullptr, nullptr, nullptr,
                                  state_shape_, nullptr, nullptr, nullptr, weights_->bytes(),
                                  weights_->data(), work_->bytes(), work_->data(),
                                  reserve_->bytes(), reserve_->data()),
          "cudnnRNNBackwardData_v8");
    check(cudaMemsetAsync(dweights_->data(), 0, dweights_->bytes(), stream_), "cudaMemsetAsync");
    check(cudnnRNNBackwardWeights_v8(handle_, rnn_, CUDNN_WGRAD_MODE_ADD, lengths(), x_shape_,
                                     x_->data(), state_shape_, nullptr, y_shape_, y_->data(),
                                     dweights_->bytes(), dweights_->data(), work_->bytes(),
                                     work_->data(), reserve_->bytes(), reserve_->data()),
          "cudnnRNNBackwardWeights_v8");
  }

  [[nodiscard]] const std::int32_t* lengths() const {
    return static_cast<const std::int32_t*>(lengths_->data());
  }

  Options options_;
  Variant variant_;
  cudaStream_t stream_;
  Handle handle_;
  Dropout dropout_;
  Rnn rnn_;
  RnnData x_shape_, y_shape_;
  Tensor state_shape_;  // of h and c
  std::optional<Array> lengths_, weights_, work_, reserve_, x_, y_;
  std::optional<Array> dweights_, dx_, dy_;  // training only
};

// Median seconds per call, timed with CUDA events.
double median_seconds(double seconds, cudaStream_t stream, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  for (int i = 0; i < kWarmUps; ++i) call();
  check(cudaStreamSynchronize(stream), "the warm-up");
  std::vector<float> times;
  const auto start = Clock::now();
  while (times.size() < kMinRepetitions ||
         std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    check(cudaEventRecord(begin, stream), "cudaEventRecord");
    call();
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end), "a measurement");
    check(cudaEventElapsedTime(&times.emplace_back(), begin, end), "cudaEventElapsedTime");
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle * 1e-3;
}

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

void measure(const Options& options) {
  check(cudaSetDevice(options.device), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  const std::size_t free_at_first = free_bytes();
  Lstm lstm(options, stream);
  check(cudaDeviceSynchronize(), "filling the arrays");
  const double time = median_seconds(options.seconds, stream, [&] { lstm.run(); });
  const std::size_t free_at_last = free_bytes();
  lstm.require_finite_results();
  std::printf(
      "{\"name\":\"cudnn-lstm\",\"variant\":\"%s\",\"mode\":\"%s\",\"batch\":%d,\"units\":%d,"
      "\"inputs\":%d,\"steps\":%d,\"cudnn\":%zu,\"us_per_step\":%.4f,\"peak_bytes\":%zu}\n",
      options.variant.c_str(), options.mode.c_str(), options.batch, options.units, options.inputs,
      options.steps, cudnnGetVersion(), time / options.steps * 1e6,
      free_at_first > free_at_last ? free_at_first - free_at_last : 0);
}

}  // namespace

int main(int argc, char** argv) {
  return peer_main<Options>(argc, argv,
                            "rwa-bench-cudnn --batch B --units H --inputs D --steps T --device "
                            "cuda:N --mode forward|train "
                            "--seconds S --variant 'fp32|tf32|fp16 "
                            "standard|persist-static|persist-small|persist-dynamic'",
                            set_option, measure);
}
