#include "backend/cuda/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "backend/cuda/rows.h"
#include "base/counted.h"
#include "rwa/errors.h"

namespace rwa::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

template <class T>
constexpr T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

// Rounds short lengths to a power of two: with very many sequences, more slack would be expensive.
int roomy(int steps) {
  constexpr int kUnit = 128;
  if (steps > kUnit) return round_up(steps, kUnit);
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(steps)));
}

std::size_t product(int a, int b, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

// The capacity of a feed.
struct Sizes {
  int steps = 0;
  int batch = 0;
  int inputs = 0;   // width of x; 0 for symbols
  int symbols = 0;  // 1 for symbols, else 0
  int target_steps = 0;
  int values = 0;   // width of target values; 0 if there are none
  int classes = 0;  // 1 for target classes, else 0

  bool operator==(const Sizes&) const = default;
};

constexpr std::size_t after(std::size_t begin, std::size_t bytes) {
  return round_up(begin + bytes, kAlignment);
}

// Byte offsets of the row layout (cuda/rows.h) within the block.
struct RowsLayout {
  RowsLayout(std::size_t begin, int step_count, int batch)
      : steps(step_count),
        slots(round_up(batch, kSlotPadding)),
        header(begin),
        sequence(after(header, sizeof(RowsHeader))),
        length(after(sequence, product(slots, 1) * sizeof(std::int32_t))),
        offset(after(length, product(slots, 1) * sizeof(std::int32_t))),
        end(after(offset, product(steps + 1, 1) * sizeof(std::int32_t))) {}

  int steps, slots;
  std::size_t header, sequence, length, offset, end;
};

// Byte offsets of all parts. x or the symbols, the largest part, comes last, so that steps beyond
// the batch need not be copied.
struct Layout {
  explicit Layout(const Sizes& s)
      : rows(0, s.steps, s.batch),
        target_rows(rows.end, s.target_steps, s.batch),
        targets(target_rows.end),
        x(after(targets, product(s.target_steps, s.batch, s.classes + s.values) * sizeof(float))),
        size(after(x, product(s.steps, s.batch, s.symbols + s.inputs) * sizeof(float))) {}

  RowsLayout rows, target_rows;
  std::size_t targets, x, size;
};

struct Lengths {
  std::span<std::int32_t> sequence;  // [slots]
  std::span<std::int32_t> length;    // [slots]
  std::span<std::int32_t> offset;    // [capacity + 1]
};

// Computes the row layout described in cuda/rows.h.
RowsHeader place(const Rows& rows, const Lengths& out) {
  const auto of = [&](std::int32_t sequence) { return rows.length(sequence); };
  const auto taken = out.sequence.first(product(rows.batch, 1));
  std::iota(taken.begin(), taken.end(), 0);
  std::ranges::stable_sort(taken, std::ranges::greater(), of);
  std::ranges::fill(out.sequence.subspan(taken.size()), -1);
  std::ranges::fill(out.length, 0);
  std::ranges::transform(taken, out.length.begin(), of);

  const std::int32_t steps = out.length.front();
  std::int32_t row = 0;
  std::size_t longer = taken.size();  // slots whose sequence has step t
  for (std::size_t t = 0; t < out.offset.size(); ++t) {
    out.offset[t] = row;
    while (longer > 0 && out.length[longer - 1] <= static_cast<std::int32_t>(t)) --longer;
    row += round_up(static_cast<std::int32_t>(longer), kOctet);
  }
  return {.steps = steps,
          .batch = rows.batch,
          .rows = row,
          .counted = std::accumulate(out.length.begin(), out.length.end(), 0),
          .whole = rows.cut().whole,
          .first = rows.cut().first(),
          .counted_in_whole = 0};
}

std::int32_t checked_count(std::int64_t counted) {
  if (counted <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::int32_t>(counted);
  throw ResourceError(fmt::format(
      "a batch has {} targets over all ranks, expected fewer than 2^31 on a GPU", counted));
}

class CudaFeed final : public Feed<float> {
 public:
  explicit CudaFeed(const Context& context) : context_(context) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~CudaFeed() override {
    (void)cudaStreamSynchronize(stream_);  // a copy may be reading pinned_
    (void)cudaStreamDestroy(stream_);
  }
  CudaFeed(const CudaFeed&) = delete;
  CudaFeed& operator=(const CudaFeed&) = delete;

  void load(const Sequences<float>& host, int inputs, const Targets<float>& host_targets,
            int outputs) override;

 private:
  void make_room(const Sizes& wanted);
  RowsHeader pack(const Rows& rows, const RowsLayout& to);
  std::size_t pack(std::size_t to, const void* host, std::size_t numbers);
  void send(std::size_t bytes);
  [[nodiscard]] PlacedRows placed_rows(const RowsLayout& at) const;

  template <class T>
  [[nodiscard]] T* packed(std::size_t at) const {
    return reinterpret_cast<T*>(pinned_.data() + at);
  }
  template <class T>
  [[nodiscard]] T* placed(std::size_t at) const {
    return reinterpret_cast<T*>(device_.as<std::byte>() + at);
  }

  const Context& context_;
  cudaStream_t stream_ = nullptr;  // for copies from the host
  Sizes sizes_;
  Layout layout_{sizes_};
  PlacedRows rows_, target_rows_;
  PinnedMemory pinned_;
  DeviceMemory arrived_;  // holds the batch until kernels are done with the previous one
  DeviceMemory device_;   // where kernels read the batch
  Event has_arrived_;     // pinned_ may be refilled
  Event has_moved_;       // arrived_ may be overwritten
};

void CudaFeed::load(const Sequences<float>& host, int inputs, const Targets<float>& host_targets,
                    int outputs) {
  context_.make_current();
  has_arrived_.wait();
  const int batch = host.rows.batch;
  const bool symbols = host.symbols != nullptr;
  const bool classes = host_targets.classes != nullptr;
  const bool values = host_targets.values != nullptr;
  const Rows target_rows = classes || values ? host_targets.rows : Rows{1, batch, {}};
  const Sizes before = batch == sizes_.batch ? sizes_ : Sizes{};
  make_room({.steps = std::max(before.steps, roomy(host.rows.steps)),
             .batch = batch,
             .inputs = symbols ? 0 : inputs,
             .symbols = symbols ? 1 : 0,
             .target_steps = std::max(before.target_steps, roomy(target_rows.steps)),
             .values = values ? outputs : 0,
             .classes = classes ? 1 : 0});

  const auto numbers = [&](const RowsHeader& rows, int width) {
    return product(rows.steps, batch, width);
  };
  const RowsHeader in = pack(host.rows, layout_.rows);
  const RowsHeader out = pack(target_rows, layout_.target_rows);
  packed<RowsHeader>(layout_.target_rows.header)->counted_in_whole =
      checked_count(host_targets.counted);
  if (classes) pack(layout_.targets, host_targets.classes, numbers(out, 1));
  if (values) pack(layout_.targets, host_targets.values, numbers(out, outputs));
  send(symbols ? pack(layout_.x, host.symbols, numbers(in, 1))
               : pack(layout_.x, host.x, numbers(in, inputs)));
}

void CudaFeed::make_room(const Sizes& wanted) {
  if (wanted == sizes_) return;
  const Layout layout(wanted);
  const int steps = std::max(wanted.steps, wanted.target_steps);
  if (product(layout.rows.slots, steps) > std::numeric_limits<std::int32_t>::max()) {
    throw ResourceError(
        fmt::format("a batch of {} of up to {} has too many rows, "
                    "expected fewer than 2^31 on a GPU",
                    counted(wanted.batch, "sequence"), counted(steps, "step")));
  }
  sizes_ = {};  // in case an allocation throws
  pinned_.reserve(layout.size);
  arrived_.reserve(layout.size);
  device_.reserve(layout.size);
  sizes_ = wanted;
  layout_ = layout;
  rows_ = placed_rows(layout.rows);
  target_rows_ = placed_rows(layout.target_rows);
  const bool symbols = wanted.symbols > 0;
  in_ = {.x = symbols ? nullptr : placed<float>(layout.x),
         .rows = {.steps = wanted.steps, .batch = wanted.batch, .placed = &rows_},
         .symbols = symbols ? placed<std::int32_t>(layout.x) : nullptr};
  targets_ = {
      .classes = wanted.classes > 0 ? placed<std::int32_t>(layout.targets) : nullptr,
      .values = wanted.values > 0 ? placed<float>(layout.targets) : nullptr,
      .rows = {.steps = wanted.target_steps, .batch = wanted.batch, .placed = &target_rows_}};
  ++shape_;
}

PlacedRows CudaFeed::placed_rows(const RowsLayout& at) const {
  return {.slots = at.slots,
          .capacity = at.steps,
          .header = placed<RowsHeader>(at.header),
          .sequence = placed<std::int32_t>(at.sequence),
          .length = placed<std::int32_t>(at.length),
          .offset = placed<std::int32_t>(at.offset)};
}

RowsHeader CudaFeed::pack(const Rows& rows, const RowsLayout& to) {
  const auto integers = [&](std::size_t at, int count) {
    return std::span(packed<std::int32_t>(at), product(count, 1));
  };
  return *packed<RowsHeader>(to.header) =
             place(rows, {.sequence = integers(to.sequence, to.slots),
                          .length = integers(to.length, to.slots),
                          .offset = integers(to.offset, to.steps + 1)});
}

// Returns the end offset in the block.
std::size_t CudaFeed::pack(std::size_t to, const void* host, std::size_t numbers) {
  const std::size_t bytes = numbers * sizeof(float);
  if (bytes > 0) std::memcpy(packed<std::byte>(to), host, bytes);
  return to + bytes;
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
