// src/backend/backend.h: the operations a device provides. Real is double in the reference backend,
// the oracle for all others, and float everywhere else. Callers check the arguments. Pointers are
// to device memory unless their name says host. Work is done in call order, but may still be
// pending when a call returns. Gradients are accumulated unless a comment says "writes".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backend/spec.h"

namespace rwa {

class Ranks;

// A layer's weights in the device's own layout. Read-only during a pass: any number of concurrent
// passes may share one object.
template <class Real>
class LayerWeights {
 public:
  virtual ~LayerWeights() = default;
  virtual void load(const Real* parameters) = 0;  // in the layout of RecurrentSpec or DenseSpec
};

template <class Real>
struct Sequences {
  const Real* x = nullptr;                // [T,B,D]; never read past a sequence's length
  Rows rows;                              // with lengths
  const std::int32_t* symbols = nullptr;  // [T,B]; replaces x
};

template <class Real>
struct Targets {
  const std::int32_t* classes = nullptr;  // [T,B]
  const Real* values = nullptr;           // [T,B,O]
  Rows rows;                              // T, B and lengths of the targets
  // For a part of a larger batch: the rows that count in the whole batch. 0: those counted here.
  std::int64_t counted = 0;
};

// A batch in memory that the device can read.
template <class Real>
class Feed {
 public:
  virtual ~Feed() = default;

  // Loads a batch from host memory. The host arrays must stay unchanged until the work that reads
  // the feed is done; the lengths only until the next load. Rows of x are `inputs` wide, rows of
  // the targets' values `outputs`. The targets' rows are the batch's, or one step, or, for a
  // decoder, rows with their own lengths. Work submitted earlier still sees the previous batch.
  virtual void load(const Sequences<Real>& host, int inputs, const Targets<Real>& host_targets,
                    int outputs) = 0;

  [[nodiscard]] const Sequences<Real>& in() const { return in_; }
  [[nodiscard]] const Targets<Real>& targets() const { return targets_; }
  // Changes whenever in() or targets() do; until then, a recording made with them stays valid.
  [[nodiscard]] std::uint64_t shape() const { return shape_; }

 protected:
  Sequences<Real> in_;
  Targets<Real> targets_;
  std::uint64_t shape_ = 0;
};

// An asynchronous copy to the host.
class Readback {
 public:
  virtual ~Readback() = default;
  // Copies the values as they are after all work submitted so far.
  virtual void request(const void* from) = 0;
  // Waits for the requested copy. The result is valid until the next request.
  virtual const void* wait() = 0;
};

// Recorded work that a device can replay.
class Recording {
 public:
  virtual ~Recording() = default;
};

template <class Real>
struct RecurrentForward {
  Sequences<Real> in;
  const Real* initial_state = nullptr;  // [B, 1 + state, H]; null: the start of a sequence
  // Rows of h are RecurrentSpec::h_stride() apart, here and in backward.
  Real* h_every = nullptr;          // [T,B,H], or null; not written past a sequence's end
  Real* h_last = nullptr;           // [B,H]
  Real* final_state = nullptr;      // layout of initial_state; may alias it
  std::optional<Memory> keep = {};  // how backward's data is kept; empty: no backward
  // Output, or null: each step's share of the running average at that step, [T,B,H], with the row
  // stride of h. Only on backends in host memory, and for cells that average.
  Real* share = nullptr;
};

template <class Real>
struct RecurrentBackward {
  Sequences<Real> in;                   // the same as in forward
  const Real* initial_state = nullptr;  // the same
  const Real* dh_every = nullptr;       // [T,B,H], null: none
  const Real* dh_last = nullptr;        // [B,H]
  Real* parameters = nullptr;           // gradient, in the layout of RecurrentSpec
  Real* x = nullptr;                    // gradient [T,B,D], or null
  Real* initial = nullptr;              // gradient [B, 1 + carry, H] of h and the carried sums
  // Output, or null: the total gradient of each step's h, from the loss and from the next step,
  // [T,B,H], row stride H. Only on backends in host memory.
  Real* dh_total = nullptr;
  // Replaces dh_last: the gradient of the final state, [B, 1 + carry, H] like `initial`.
  const Real* dfinal_state = nullptr;

  // The gradient of h at each sequence's last step, from dh_last or dfinal_state.
  struct Last {
    const Real* dh;      // [B,H]; null: none
    std::size_t stride;  // from one row to the next
  };
  [[nodiscard]] Last last(const RecurrentSpec& spec) const {
    if (dfinal_state == nullptr) return {dh_last, static_cast<std::size_t>(spec.h_stride())};
    return {dfinal_state, spec.carried_size()};
  }
};

// The table row used at each step.
struct Symbols {
  const std::int32_t* of = nullptr;  // [T,B]
  // Shifted by one step: step t uses the symbol of step t - 1, plus one; step 0 uses row 0.
  bool of_step_before = false;
};

// Determines the dropout mask on every device: given these, it depends only on a value's index in
// the array of the whole batch.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint32_t layer = 0;
  const std::int64_t* step = nullptr;  // in device memory: StepReport::steps
};

// One caller's workspace, and what forward saves in it for backward.
template <class Real>
class RecurrentPass {
 public:
  virtual ~RecurrentPass() = default;
  virtual void forward(const LayerWeights<Real>&, const RecurrentForward<Real>&) = 0;
  virtual void backward(const LayerWeights<Real>&, const RecurrentBackward<Real>&) = 0;
};

// The result of a training step. After a failure, later steps change nothing.
struct StepReport {
  double loss = 0;
  double gradient_norm = 0;
  std::int64_t steps = 0;          // successful steps so far
  std::int64_t bad_gradient = -1;  // first index whose square, which Adam needs, is not finite
  std::int64_t failed = 0;         // 1: a loss or a gradient was not finite
};

// All-reduce sums directly between the ranks' devices. Every rank makes the same calls in the same
// order. Throws ResourceError instead of waiting forever for a lost rank.
template <class Real>
class RankSum {
 public:
  virtual ~RankSum() = default;
  // Starts replacing each value, and the loss, by its sum over the ranks. Returns when all ranks
  // have called it.
  virtual void add(std::size_t count, Real* numbers, double* loss) = 0;
  // Waits for the oldest sum not yet waited for; returns at once if there is none.
  virtual void wait() = 0;
};

template <class Real>
class Backend {
 public:
  virtual ~Backend() = default;

  // Throws ResourceError naming the size. See backend/array.h.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void clear(void* memory, std::size_t bytes) = 0;
  // Copies rows of `width` values; strides are in values.
  virtual void copy_rows(std::size_t rows, std::size_t width, const Real* from,
                         std::size_t from_stride, Real* to, std::size_t to_stride) = 0;
  // Copies from the host, whose memory may change once this returns.
  virtual void write(void* to, const void* host, std::size_t bytes) = 0;
  // Copies to the host and waits.
  virtual void read(void* host, const void* from, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Readback> make_readback(std::size_t bytes) = 0;

  [[nodiscard]] virtual std::unique_ptr<Feed<Real>> make_feed() = 0;
  // Runs `work`, which only submits work to this backend, in order with the caller's `stream`:
  // after everything submitted there so far and before everything submitted later. Does not block.
  // `stream` is a cudaStream_t of the same GPU; backends that finish before a call returns take
  // null. The thread's current device stays the same.
  virtual void between(void* stream, const std::function<void()>& work) = 0;
  // Runs `work`, which only submits work to this backend, the same every time. A device may record
  // it in `recording`, empty at first, and later replay it without calling `work`.
  virtual void repeat(std::unique_ptr<Recording>& recording, const std::function<void()>& work) = 0;

  [[nodiscard]] virtual std::unique_ptr<LayerWeights<Real>> make_weights(
      const RecurrentSpec&) const = 0;
  // beside: how many passes run concurrently, this one included; see beside().
  [[nodiscard]] virtual std::unique_ptr<RecurrentPass<Real>> make_pass(const RecurrentSpec&,
                                                                       int beside = 1) = 0;
  // Runs both, concurrently if the device can. They must not write to the same memory.
  virtual void beside(const std::function<void()>& one, const std::function<void()>& other) = 0;

  [[nodiscard]] virtual std::unique_ptr<LayerWeights<Real>> make_weights(
      const DenseSpec&) const = 0;

  // y = h Wᵀ + b, for the rows that count.
  virtual void dense_forward(const DenseSpec&, const LayerWeights<Real>&, const Rows&,
                             const Real* h, Real* y) = 0;
  // Adds to the gradient of the parameters and writes dh, unless null; dh may alias h.
  virtual void dense_backward(const DenseSpec&, const LayerWeights<Real>&, const Rows&,
                              const Real* h, const Real* dy, Real* dparameters, Real* dh) = 0;

  // out = each step and the `kernel` - 1 steps before it, side by side, the step itself first:
  // [T,B,kernel·width]. The steps before the first one are those of `before`,
  // [B, kernel - 1, width], the latest first, or zeros if it is null.
  virtual void unfold(int width, int kernel, const Rows&, const Real* before, const Real* x,
                      Real* out) = 0;
  // Adds to dx. `before` gets no gradient.
  virtual void unfold_backward(int width, int kernel, const Rows&, const Real* dout, Real* dx) = 0;
  // Writes `after`, the `before` of the next part of longer sequences. They must not alias.
  virtual void last_steps(int width, int kernel, const Rows&, const Real* before, const Real* x,
                          Real* after) = 0;
  // Replaces negative values by 0.
  virtual void rectify(int width, const Rows&, Real* values) = 0;
  // Zeroes the gradient where `values`, as rectify() left them, are 0.
  virtual void rectify_backward(int width, const Rows&, const Real* values, Real* gradient) = 0;

  // out = the table row of each symbol, plus the sequence's row of `base`, [B,width], unless null.
  virtual void lookup(const TableSpec&, const Rows&, const Symbols&, const Real* table,
                      const Real* base, Real* out) = 0;
  // Adds to the gradient of the table; writes dbase, the sum of dout over the steps, unless null.
  virtual void lookup_backward(const TableSpec&, const Rows&, const Symbols&, const Real* dout,
                               Real* dtable, Real* dbase) = 0;

  // Averages h, [T,B,width], over the steps of each sequence, weighted by exp(score · h), or
  // equally if score is null. Writes each step's share, [T,B], and the average, [B,width], which is
  // 0 for an empty sequence.
  virtual void average(int width, const Rows&, const Real* score, const Real* h, Real* share,
                       Real* out) = 0;
  // Adds to the gradient of score, unless null, and writes dh, which must not alias h.
  virtual void average_backward(int width, const Rows&, const Real* score, const Real* h,
                                const Real* share, const Real* dout, Real* dscore, Real* dh) = 0;

  // Zeroes each value with probability `rate` and scales the others by 1 / (1 - rate).
  virtual void dropout(double rate, const DropoutKey&, int width, const Rows&, Real* values) = 0;
  virtual void add(std::size_t count, const Real* from, Real* to) = 0;

  // Writes the mean loss over the rows that count (0 if none does) and, unless null, its gradient
  // dy. For a part of a larger batch, the mean is this part's share of the whole batch's mean.
  virtual void loss(const LossSpec&, const Rows&, int outputs, const Real* y, const Targets<Real>&,
                    double* mean, Real* dy) = 0;

  // Computes the gradient norm and checks that the gradient and the report's loss are finite. If
  // they are, counts the step; otherwise marks the report as failed for good.
  virtual void check_gradient(std::size_t count, const Real* gradient, StepReport* report) = 0;
  // Applies Adam update number report->steps, with the gradient clipped to norm clip_norm (0: off).
  // Does nothing if the report has failed.
  virtual void adam(const AdamSettings&, double clip_norm, std::size_t count, const Real* gradient,
                    const StepReport* report, Real* parameters, Real* mean, Real* variance) = 0;

  // A name unique among the devices of all ranks; empty if the device cannot all-reduce.
  [[nodiscard]] virtual std::string name_among_ranks() const = 0;
  // For ranks that each have their own named device. `ranks` must outlive the result.
  [[nodiscard]] virtual std::unique_ptr<RankSum<Real>> make_rank_sum(Ranks& ranks) = 0;
};

}  // namespace rwa
