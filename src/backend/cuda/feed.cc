#include "backend/cuda/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "backend/cuda/rows.h"
#include "rwa/errors.h"

namespace rwa::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

template <class T>
constexpr T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

// Few steps may go with very many sequences, so that room for many more would be dear.
int roomy(int steps) {
  constexpr int kUnit = 128;
  if (steps > kUnit) return round_up(steps, kUnit);
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(steps)));
}

std::size_t product(int a, int b, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

// What a feed has room for.
struct Sizes {
  int steps = 0;
  int batch = 0;
  int inputs = 0;
  int output_steps = 0;
  int classes = 0;  // 1 where the targets are classes
  int values = 0;   // how wide they are where they are not

  bool operator==(const Sizes&) const = default;
};

// Where things lie in the block, in bytes. x, most of it, comes last, so that nothing has to be
// copied of the steps that a batch does not have.
struct Layout {
  explicit Layout(const Sizes& s)
      : sequence(after(0, sizeof(RowsHeader))),
        length(after(sequence, slots(s) * sizeof(std::int32_t))),
        offset(after(length, slots(s) * sizeof(std::int32_t))),
        targets(after(offset, product(s.steps + 1, 1) * sizeof(std::int32_t))),
        x(after(targets, product(s.output_steps, s.batch, s.classes + s.values) * sizeof(float))),
        size(after(x, product(s.steps, s.batch, s.inputs) * sizeof(float))) {}

  static std::size_t slots(const Sizes& s) { return product(round_up(s.batch, kSlotPadding), 1); }

  std::size_t sequence, length, offset, targets, x, size;

 private:
  static std::size_t after(std::size_t begin, std::size_t bytes) {
    return round_up(begin + bytes, kAlignment);
  }
};

struct Lengths {
  std::span<std::int32_t> sequence;  // [slots]
  std::span<std::int32_t> length;    // [slots]
  std::span<std::int32_t> offset;    // [capacity + 1]
};

// Fills in what cuda/rows.h describes.
RowsHeader place(const Rows& rows, const Lengths& out) {
  const auto of = [&](std::int32_t sequence) {
    return rows.lengths.empty() ? rows.steps : rows.lengths[static_cast<std::size_t>(sequence)];
  };
  const auto taken = out.sequence.first(product(rows.batch, 1));
  std::iota(taken.begin(), taken.end(), 0);
  std::ranges::stable_sort(taken, std::ranges::greater(), of);
  std::ranges::fill(out.sequence.subspan(taken.size()), -1);
  std::ranges::fill(out.length, 0);
  std::ranges::transform(taken, out.length.begin(), of);

  const std::int32_t steps = out.length.front();
  std::int32_t row = 0;
  std::size_t longer = taken.size();  // slots whose sequence has the step
  for (std::size_t t = 0; t < out.offset.size(); ++t) {
    out.offset[t] = row;
    while (longer > 0 && out.length[longer - 1] <= static_cast<std::int32_t>(t)) --longer;
    row += round_up(static_cast<std::int32_t>(longer), kOctet);
  }
  return {.steps = steps,
          .batch = rows.batch,
          .rows = row,
          .counted = std::accumulate(out.length.begin(), out.length.end(), 0)};
}

class CudaFeed final : public Feed<float> {
 public:
  explicit CudaFeed(const Context& context) : context_(context) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaFeed() override {
    (void)cudaStreamSynchronize(stream_);  // it reads the pinned memory
    (void)cudaStreamDestroy(stream_);
  }
  CudaFeed(const CudaFeed&) = delete;
  CudaFeed& operator=(const CudaFeed&) = delete;

  void load(const Sequences<float>& host, int inputs, const Targets<float>& host_targets,
            const Rows& out, int outputs) override;

 private:
  void make_room(const Sizes& wanted);
  std::size_t pack(const Sequences<float>& host, const void* host_targets, const Rows& out);
  void send(std::size_t bytes);

  template <class T>
  [[nodiscard]] T* packed(std::size_t at) const {
    return reinterpret_cast<T*>(pinned_.data() + at);
  }
  template <class T>
  [[nodiscard]] T* placed(std::size_t at) const {
    return reinterpret_cast<T*>(device_.as<std::byte>() + at);
  }

  const Context& context_;
  cudaStream_t stream_ = nullptr;  // for the way to the GPU
  Sizes sizes_;
  Layout layout_{sizes_};
  PlacedRows rows_;
  PinnedMemory pinned_;
  DeviceMemory arrived_;  // waits there until the batch before is done with
  DeviceMemory device_;   // where kernels read it
  Event has_arrived_;     // so that the pinned memory is free again
  Event has_moved_;       // so that `arrived_` is
};

void CudaFeed::load(const Sequences<float>& host, int inputs, const Targets<float>& host_targets,
                    const Rows& out, int outputs) {
  context_.make_current();
  has_arrived_.wait();
  const bool classes = host_targets.classes != nullptr;
  const bool values = host_targets.values != nullptr;
  const Sizes before = host.rows.batch == sizes_.batch ? sizes_ : Sizes{};
  make_room({.steps = std::max(before.steps, roomy(host.rows.steps)),
             .batch = host.rows.batch,
             .inputs = inputs,
             .output_steps = std::max(before.output_steps, roomy(out.steps)),
             .classes = classes ? 1 : 0,
             .values = values ? outputs : 0});
  const void* targets = host_targets.values;
  if (classes) targets = host_targets.classes;
  send(pack(host, targets, out));
}

void CudaFeed::make_room(const Sizes& wanted) {
  if (wanted == sizes_) return;
  const Layout layout(wanted);
  const std::size_t slots = Layout::slots(wanted);
  if (slots * product(wanted.steps, 1) > std::numeric_limits<std::int32_t>::max()) {
    throw ResourceError(
        fmt::format("a batch of {} sequences of up to {} steps has too many rows for the GPU, "
                    "expected fewer than 2^31",
                    wanted.batch, wanted.steps));
  }
  sizes_ = {};  // until all is there
  pinned_.reserve(layout.size);
  arrived_.reserve(layout.size);
  device_.reserve(layout.size);
  sizes_ = wanted;
  layout_ = layout;
  rows_ = {.slots = static_cast<int>(slots),
           .capacity = wanted.steps,
           .header = placed<RowsHeader>(0),
           .sequence = placed<std::int32_t>(layout.sequence),
           .length = placed<std::int32_t>(layout.length),
           .offset = placed<std::int32_t>(layout.offset)};
  in_ = {.x = placed<float>(layout.x),
         .rows = {.steps = wanted.steps, .batch = wanted.batch, .placed = &rows_}};
  targets_ = {.classes = wanted.classes > 0 ? placed<std::int32_t>(layout.targets) : nullptr,
              .values = wanted.values > 0 ? placed<float>(layout.targets) : nullptr};
  ++shape_;
}

// Returns how many bytes of the block the batch takes.
std::size_t CudaFeed::pack(const Sequences<float>& host, const void* host_targets,
                           const Rows& out) {
  const std::size_t slots = Layout::slots(sizes_);
  const RowsHeader header = place(
      host.rows, {.sequence = {packed<std::int32_t>(layout_.sequence), slots},
                  .length = {packed<std::int32_t>(layout_.length), slots},
                  .offset = {packed<std::int32_t>(layout_.offset), product(sizes_.steps + 1, 1)}});
  *packed<RowsHeader>(0) = header;
  const auto copy = [&](std::size_t to, const void* from, std::size_t numbers) {
    if (numbers > 0) std::memcpy(packed<std::byte>(to), from, numbers * sizeof(float));
    return to + numbers * sizeof(float);
  };
  const int output_steps = out.steps == 1 ? 1 : header.steps;
  copy(layout_.targets, host_targets,
       product(output_steps, sizes_.batch, sizes_.classes + sizes_.values));
  return copy(layout_.x, host.x, product(header.steps, sizes_.batch, sizes_.inputs));
}

void CudaFeed::send(std::size_t bytes) {
  cudaStream_t main = context_.stream;
  has_moved_.hold(stream_);
  check(
      cudaMemcpyAsync(arrived_.as<void>(), pinned_.data(), bytes, cudaMemcpyHostToDevice, stream_),
      "copying a batch to the GPU");
  has_arrived_.record(stream_);
  has_arrived_.hold(main);
  check(cudaMemcpyAsync(device_.as<void>(), arrived_.as<void>(), bytes, cudaMemcpyDeviceToDevice,
                        main),
        "placing a batch on the GPU");
  has_moved_.record(main);
}

}  // namespace

std::unique_ptr<Feed<float>> make_feed(const Context& context) {
  return std::make_unique<CudaFeed>(context);
}

}  // namespace rwa::cuda
