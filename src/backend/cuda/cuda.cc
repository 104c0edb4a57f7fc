#include "backend/device.h"

#include <fmt/format.h>

#include <cstdlib>

#include "backend/cuda/operations.h"
#include "backend/cuda/recurrence.h"
#include "backend/cuda/runtime.h"
#include "backend/cuda/side_stream.h"
#include "backend/cuda/training.h"
#include "base/names.h"
#include "rwa/errors.h"

namespace rwa {
namespace {

constexpr Names<cuda::Path, 3> kPaths = {{{cuda::Path::kPersistent, "persistent"},
                                          {cuda::Path::kExact, "exact"},
                                          {cuda::Path::kPlain, "plain"}}};

cuda::Path wanted_path() {
  const char* name = std::getenv("RWA_CUDA");
  return name == nullptr ? cuda::Path::kAutomatic : parse_name(kPaths, "RWA_CUDA", name);
}

void check_path(const cuda::Context& context) {
  const bool needs_clusters =
      context.path == cuda::Path::kPersistent || context.path == cuda::Path::kExact;
  if (needs_clusters && context.capability != cuda::kHopper) {
    throw ConfigError(fmt::format(
        "RWA_CUDA={} needs compute capability 9.0, but GPU {} has {}.{}; use RWA_CUDA=plain",
        name_of(kPaths, "path", context.path), context.device, context.capability / 10,
        context.capability % 10));
  }
}

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties;
}

class DenseWeights final : public LayerWeights<float> {
 public:
  DenseWeights(const DenseSpec& spec, const cuda::Context& context)
      : bytes_(spec.parameters() * sizeof(float)), context_(context) {
    parameters_.reserve(bytes_);
  }
  void load(const float* parameters) override {
    context_.make_current();
    cuda::check(cudaMemcpyAsync(parameters_.as<float>(), parameters, bytes_,
                                cudaMemcpyDeviceToDevice, context_.stream),
                "copying weights");
  }
  [[nodiscard]] const float* parameters() const { return parameters_.as<float>(); }

 private:
  std::size_t bytes_;
  const cuda::Context& context_;
  cuda::DeviceMemory parameters_;
};

class CudaReadback final : public Readback {
 public:
  CudaReadback(std::size_t bytes, const cuda::Context& context) : bytes_(bytes), context_(context) {
    pinned_.reserve(bytes);
  }
  ~CudaReadback() override {
    (void)cudaStreamSynchronize(context_.stream);
  }  // a copy may be pending
  CudaReadback(const CudaReadback&) = delete;
  CudaReadback& operator=(const CudaReadback&) = delete;

  void request(const void* from) override {
    context_.make_current();
    cuda::check(
        cudaMemcpyAsync(pinned_.data(), from, bytes_, cudaMemcpyDeviceToHost, context_.stream),
        "copying data from the GPU");
    is_there_.record(context_.stream);
  }
  const void* wait() override {
    context_.make_current();
    is_there_.wait();
    return pinned_.data();
  }

 private:
  std::size_t bytes_;
  const cuda::Context& context_;
  cuda::PinnedMemory pinned_;
  cuda::Event is_there_;
};

// Every call makes this GPU current: the calling thread may have used another device.
class CudaBackend final : public Backend<float> {
 public:
  CudaBackend(int number, int share) : context_(number, share, wanted_path()) {
    check_path(context_);
    block_sums_.reserve(sizeof(cuda::BlockSums));
    clear(block_sums_.as<void>(), sizeof(cuda::BlockSums));
  }

  void* allocate(std::size_t bytes) override {
    context_.make_current();
    return cuda::allocate(bytes);
  }
  void release(void* memory) noexcept override { (void)cudaFree(memory); }
  void clear(void* memory, std::size_t bytes) override {
    if (bytes == 0) return;
    context_.make_current();
    cuda::check(cudaMemsetAsync(memory, 0, bytes, context_.stream), "clearing memory");
  }
  void copy_rows(std::size_t rows, std::size_t width, const float* from, std::size_t from_stride,
                 float* to, std::size_t to_stride) override {
    constexpr std::size_t kBytes = sizeof(float);
    context_.make_current();
    cuda::check(cudaMemcpy2DAsync(to, to_stride * kBytes, from, from_stride * kBytes,
                                  width * kBytes, rows, cudaMemcpyDeviceToDevice, context_.stream),
                "copying rows");
  }
  void write(void* to, const void* host, std::size_t bytes) override {
    copy(to, host, bytes, cudaMemcpyHostToDevice, "copying data to the GPU");
  }
  void read(void* host, const void* from, std::size_t bytes) override {
    copy(host, from, bytes, cudaMemcpyDeviceToHost, "copying data from the GPU");
  }
  [[nodiscard]] std::unique_ptr<Readback> make_readback(std::size_t bytes) override {
    context_.make_current();
    return std::make_unique<CudaReadback>(bytes, context_);
  }
  [[nodiscard]] std::unique_ptr<Feed<float>> make_feed() override {
    context_.make_current();
    return cuda::make_feed(context_);
  }
  void between(void* stream, const std::function<void()>& work) override {
    const cuda::CurrentDevice callers;
    context_.make_current();
    const cuda::Fork fork(callers_, context_.stream, static_cast<cudaStream_t>(stream));
    work();
  }
  void repeat(std::unique_ptr<Recording>& recording, const std::function<void()>& work) override {
    context_.make_current();
    cuda::repeat(context_, recording, work);
  }

  [[nodiscard]] std::unique_ptr<LayerWeights<float>> make_weights(
      const RecurrentSpec& spec) const override {
    context_.make_current();
    return cuda::make_weights(spec, context_);
  }
  [[nodiscard]] std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec,
                                                                int beside) override {
    context_.make_current();
    return cuda::make_pass(spec, context_, beside);
  }
  // Only for work with its own scratch memory, such as passes.
  void beside(const std::function<void()>& one, const std::function<void()>& other) override {
    context_.make_current();
    const cuda::Fork fork = side_.fork(context_.stream);
    one();
    const cuda::SideStream::Turn turn(side_, context_);
    other();
  }

  [[nodiscard]] std::unique_ptr<LayerWeights<float>> make_weights(
      const DenseSpec& spec) const override {
    context_.make_current();
    return std::make_unique<DenseWeights>(spec, context_);
  }

  void dense_forward(const DenseSpec& spec, const LayerWeights<float>& weights, const Rows& rows,
                     const float* h, float* y) override {
    context_.make_current();
    const auto& dense = static_cast<const DenseWeights&>(weights);
    cuda::dense_forward(context_, spec, dense.parameters(), rows, h, y);
  }
  void dense_backward(const DenseSpec& spec, const LayerWeights<float>& weights, const Rows& rows,
                      const float* h, const float* dy, float* dparameters, float* dh) override {
    context_.make_current();
    const auto& dense = static_cast<const DenseWeights&>(weights);
    cuda::dense_backward(context_, spec, dense.parameters(), rows, h, dy, scratch_, dparameters,
                         dh);
  }

  void lookup(const TableSpec& spec, const Rows& rows, const Symbols& symbols, const float* table,
              const float* base, float* out) override {
    context_.make_current();
    cuda::lookup(context_, spec, rows, symbols, table, base, out);
  }
  void lookup_backward(const TableSpec& spec, const Rows& rows, const Symbols& symbols,
                       const float* dout, float* dtable, float* dbase) override {
    context_.make_current();
    cuda::lookup_backward(context_, spec, rows, symbols, dout, scratch_, dtable, dbase);
  }
  void average(int width, const Rows& rows, const float* score, const float* h, float* share,
               float* out) override {
    context_.make_current();
    cuda::average(context_, width, rows, score, h, share, out);
  }
  void average_backward(int width, const Rows& rows, const float* score, const float* h,
                        const float* share, const float* dout, float* dscore, float* dh) override {
    context_.make_current();
    cuda::average_backward(context_, width, rows, score, h, share, dout, scratch_, dscore, dh);
  }
  void unfold(int width, int kernel, const Rows& rows, const float* before, const float* x,
              float* out) override {
    context_.make_current();
    cuda::unfold(context_, width, kernel, rows, before, x, out);
  }
  void unfold_backward(int width, int kernel, const Rows& rows, const float* dout,
                       float* dx) override {
    context_.make_current();
    cuda::unfold_backward(context_, width, kernel, rows, dout, dx);
  }
  void last_steps(int width, int kernel, const Rows& rows, const float* before, const float* x,
                  float* after) override {
    context_.make_current();
    cuda::last_steps(context_, width, kernel, rows, before, x, after);
  }
  void rectify(int width, const Rows& rows, float* values) override {
    context_.make_current();
    cuda::rectify(context_, width, rows, values);
  }
  void rectify_backward(int width, const Rows& rows, const float* values,
                        float* gradient) override {
    context_.make_current();
    cuda::rectify_backward(context_, width, rows, values, gradient);
  }
  void dropout(double rate, const DropoutKey& key, int width, const Rows& rows,
               float* values) override {
    context_.make_current();
    cuda::dropout(context_, rate, key, width, rows, values);
  }
  void add(std::size_t count, const float* from, float* to) override {
    context_.make_current();
    cuda::add(context_, count, from, to);
  }

  void loss(const LossSpec& loss, const Rows& rows, int outputs, const float* y,
            const Targets<float>& targets, double* mean, float* dy) override {
    context_.make_current();
    cuda::loss(context_, loss, rows, outputs, y, targets, block_sums_.as<cuda::BlockSums>(), mean,
               dy);
  }
  void check_gradient(std::size_t count, const float* gradient, StepReport* report) override {
    context_.make_current();
    cuda::check_gradient(context_, count, gradient, block_sums_.as<cuda::BlockSums>(), report);
  }
  void adam(const AdamSettings& settings, double clip_norm, std::size_t count,
            const float* gradient, const StepReport* report, float* parameters, float* mean,
            float* variance) override {
    context_.make_current();
    cuda::adam(context_, settings, clip_norm, count, gradient, report, parameters, mean, variance);
  }

  [[nodiscard]] std::string name_among_ranks() const override {
    if (!cuda::can_sum_ranks()) return {};
    const cudaUUID_t uuid = properties_of(context_.device).uuid;
    return {std::begin(uuid.bytes), std::end(uuid.bytes)};
  }
  [[nodiscard]] std::unique_ptr<RankSum<float>> make_rank_sum(Ranks& ranks) override {
    context_.make_current();
    return cuda::make_rank_sum(context_, ranks);
  }

 private:
  // Waits in both directions: cudaMemcpyAsync may still be reading host memory when it returns.
  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const char* what) {
    if (bytes == 0) return;
    context_.make_current();
    cuda::check(cudaMemcpyAsync(to, from, bytes, kind, context_.stream), what);
    cuda::check(cudaStreamSynchronize(context_.stream), "waiting for the GPU");
  }

  cuda::Context context_;
  cuda::SideStream side_;
  cuda::Fork::Events callers_;
  cuda::DeviceMemory block_sums_;
  cuda::DeviceMemory scratch_;  // valid during one call
};

}  // namespace

std::unique_ptr<Backend<float>> make_cuda_backend(int number, int share) {
  const cuda::CurrentDevice callers;
  return std::make_unique<CudaBackend>(number, share);
}

int cuda_devices() { return cuda::device_count(); }

std::string why_no_cuda() { return "CUDA finds no GPU on this machine"; }

std::string cuda_device_name(int number) {
  if (number < 0 || number >= cuda::device_count()) return {};
  return properties_of(number).name;
}

}  // namespace rwa
