// src/backend/backend.h: what a device must be able to do. Real is float on devices that compute,
// double in the reference, which is the oracle of the others. Arguments have been checked by the
// caller. Pointers are to the device's memory unless a name says host; work is done in the order in
// which it is asked for, but not always before the call returns. Gradients are added to what is
// there, never written over it.
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

// A layer's weights in the form the device computes with. Constant while running: one object serves
// any number of passes at a time.
template <class Real>
class LayerWeights {
 public:
  virtual ~LayerWeights() = default;
  virtual void load(const Real* parameters) = 0;  // as RecurrentSpec or DenseSpec lays them out
};

template <class Real>
struct Sequences {
  const Real* x = nullptr;                // [T,B,D]; past a sequence's length never read
  Rows rows;                              // with lengths
  const std::int32_t* symbols = nullptr;  // [T,B], instead of x
};

template <class Real>
struct Targets {
  const std::int32_t* classes = nullptr;  // [T,B]
  const Real* values = nullptr;           // [T,B,O]
  Rows rows;                              // T, B and lengths of these
  // Of a part of a larger batch: how many rows count in all of it. 0: those that do here.
  std::int64_t counted = 0;
};

// A batch where the device can read it.
template <class Real>
class Feed {
 public:
  virtual ~Feed() = default;

  // Brings a batch in from the host's memory, which must stay as it is until the work that reads
  // the feed is done; the lengths must only until the next batch is loaded. Rows of x are `inputs`
  // wide, those of the targets' values `outputs`. The targets' rows are the batch's, or one step,
  // or, for a decoder, rows with lengths of their own. Work that was asked for before still sees
  // the batch of before.
  virtual void load(const Sequences<Real>& host, int inputs, const Targets<Real>& host_targets,
                    int outputs) = 0;

  [[nodiscard]] const Sequences<Real>& in() const { return in_; }
  [[nodiscard]] const Targets<Real>& targets() const { return targets_; }
  // While it stays the same, in() and targets() do: a recording made with them fits.
  [[nodiscard]] std::uint64_t shape() const { return shape_; }

 protected:
  Sequences<Real> in_;
  Targets<Real> targets_;
  std::uint64_t shape_ = 0;
};

// Numbers on their way back to the host.
class Readback {
 public:
  virtual ~Readback() = default;
  // Takes them as they are when the work asked for so far is done.
  virtual void request(const void* from) = 0;
  // Waits for what was requested; valid until the next request.
  virtual const void* wait() = 0;
};

// Work that a device may have learnt to repeat.
class Recording {
 public:
  virtual ~Recording() = default;
};

template <class Real>
struct RecurrentForward {
  Sequences<Real> in;
  const Real* initial_state = nullptr;  // [B, 1 + state, H]; null: the start of a sequence
  // Rows of h are RecurrentSpec::h_stride() apart, here and in backward.
  Real* h_every = nullptr;      // [T,B,H]; null where not wanted; past the end nothing is written
  Real* h_last = nullptr;       // [B,H]
  Real* final_state = nullptr;  // as initial_state, and may be the same memory
  std::optional<Memory> keep = {};  // what backward will need; nothing: no backward
  // Written: the share that each step had of the running average when it was taken in, [T,B,H] in
  // rows like those of h; null where not wanted. Only where the memory is the host's, and of cells
  // that keep an average.
  Real* share = nullptr;
};

template <class Real>
struct RecurrentBackward {
  Sequences<Real> in;                   // the same as in forward
  const Real* initial_state = nullptr;  // the same
  const Real* dh_every = nullptr;       // [T,B,H], null: none
  const Real* dh_last = nullptr;        // [B,H]
  Real* parameters = nullptr;           // gradient, as RecurrentSpec lays them out
  Real* x = nullptr;                    // gradient [T,B,D], null where not wanted
  Real* initial = nullptr;              // gradient [B, 1 + carry, H] of h and the carried sums
  // Written: all that comes to h of each step, from the loss and from the step after, [T,B,H] in
  // rows of H; null where not wanted. Only where the memory is the host's.
  Real* dh_total = nullptr;
  // Instead of dh_last, what comes to the final state: [B, 1 + carry, H] as `initial`.
  const Real* dfinal_state = nullptr;

  // What comes to h of each sequence's last step, wherever it lies.
  struct Last {
    const Real* dh;      // [B,H]; null: nothing
    std::size_t stride;  // from one row to the next
  };
  [[nodiscard]] Last last(const RecurrentSpec& spec) const {
    if (dfinal_state == nullptr) return {dh_last, static_cast<std::size_t>(spec.h_stride())};
    return {dfinal_state, spec.carried_size()};
  }
};

// Which row of a table stands at each step.
struct Symbols {
  const std::int32_t* of = nullptr;  // [T,B]
  // At step t stands the symbol of step t - 1, plus one; at the first, where there is none, row 0.
  bool of_step_before = false;
};

// What dropout hides: a function of these and of the place in the array of the whole batch, on
// every device.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint32_t layer = 0;
  const std::int64_t* step = nullptr;  // on the device: StepReport::steps
};

// The scratch memory of one caller, and what forward leaves in it for backward.
template <class Real>
class RecurrentPass {
 public:
  virtual ~RecurrentPass() = default;
  virtual void forward(const LayerWeights<Real>&, const RecurrentForward<Real>&) = 0;
  virtual void backward(const LayerWeights<Real>&, const RecurrentBackward<Real>&) = 0;
};

// What a training step leaves behind. Once it has failed, no step changes anything.
struct StepReport {
  double loss = 0;
  double gradient_norm = 0;
  std::int64_t steps = 0;          // that were good
  std::int64_t bad_gradient = -1;  // the first that cannot be squared, as Adam must
  std::int64_t failed = 0;         // 1: a loss or a gradient was not finite
};

// Sums over ranks that their devices form among themselves. Every rank asks for the same ones, in
// the same order. Throws ResourceError rather than wait for ever for a rank that is lost.
template <class Real>
class RankSum {
 public:
  virtual ~RankSum() = default;
  // Asks for each number, and the loss, to become its sum over the ranks; returns when all ranks
  // have asked.
  virtual void add(std::size_t count, Real* numbers, double* loss) = 0;
  // Waits for the oldest that was asked for and not yet waited for; not at all where there is none.
  virtual void wait() = 0;
};

template <class Real>
class Backend {
 public:
  virtual ~Backend() = default;

  // Memory; see backend/array.h. Throws ResourceError with the bytes that were needed.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void clear(void* memory, std::size_t bytes) = 0;
  // Rows of `width` numbers, so many numbers apart.
  virtual void copy_rows(std::size_t rows, std::size_t width, const Real* from,
                         std::size_t from_stride, Real* to, std::size_t to_stride) = 0;
  // From the host; its memory may change when this returns.
  virtual void write(void* to, const void* host, std::size_t bytes) = 0;
  // To the host; waits.
  virtual void read(void* host, const void* from, std::size_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Readback> make_readback(std::size_t bytes) = 0;

  [[nodiscard]] virtual std::unique_ptr<Feed<Real>> make_feed() = 0;
  // Does `work`, which only asks this backend for work: after all that `stream`, somebody else's,
  // has been asked for, and before all that it will be asked for. Nobody waits for it. A GPU takes
  // a cudaStream_t of its own; where work is done when a call returns there are none, and it is
  // null. What the thread has made its current device stays so.
  virtual void between(void* stream, const std::function<void()>& work) = 0;
  // Does `work`, which only asks this backend for work, always for the same; a device may note it
  // down in `recording`, which starts out empty, and repeat it from there without calling `work`.
  virtual void repeat(std::unique_ptr<Recording>& recording, const std::function<void()>& work) = 0;

  [[nodiscard]] virtual std::unique_ptr<LayerWeights<Real>> make_weights(
      const RecurrentSpec&) const = 0;
  // beside: of how many passes that run side by side it is one; see beside().
  [[nodiscard]] virtual std::unique_ptr<RecurrentPass<Real>> make_pass(const RecurrentSpec&,
                                                                       int beside = 1) = 0;
  // Does both, which do not write to the same memory, at once where the device can.
  virtual void beside(const std::function<void()>& one, const std::function<void()>& other) = 0;

  [[nodiscard]] virtual std::unique_ptr<LayerWeights<Real>> make_weights(
      const DenseSpec&) const = 0;

  // y = h Wᵀ + b, for the rows that count.
  virtual void dense_forward(const DenseSpec&, const LayerWeights<Real>&, const Rows&,
                             const Real* h, Real* y) = 0;
  // Adds to the parameters' gradient and writes dh, which may be the same memory as h.
  virtual void dense_backward(const DenseSpec&, const LayerWeights<Real>&, const Rows&,
                              const Real* h, const Real* dy, Real* dparameters, Real* dh) = 0;

  // out = the table's row of each symbol, plus that row of `base`, [B,width], unless null.
  virtual void lookup(const TableSpec&, const Rows&, const Symbols&, const Real* table,
                      const Real* base, Real* out) = 0;
  // Adds to the table's gradient and writes that of `base`, the sum over the steps, unless null.
  virtual void lookup_backward(const TableSpec&, const Rows&, const Symbols&, const Real* dout,
                               Real* dtable, Real* dbase) = 0;

  // The average of h, [T,B,width], over the steps of each sequence, weighted by the exponential of
  // score · h, or plain where score is null; writes each step's share, [T,B], and the average,
  // [B,width], which is 0 for a sequence without steps.
  virtual void average(int width, const Rows&, const Real* score, const Real* h, Real* share,
                       Real* out) = 0;
  // Adds to the gradient of score, unless null, and writes dh, which is not the same memory as h.
  virtual void average_backward(int width, const Rows&, const Real* score, const Real* h,
                                const Real* share, const Real* dout, Real* dscore, Real* dh) = 0;

  // Sets numbers to 0 with probability `rate`, and multiplies the others by 1 / (1 - rate).
  virtual void dropout(double rate, const DropoutKey&, int width, const Rows&, Real* values) = 0;
  virtual void add(std::size_t count, const Real* from, Real* to) = 0;

  // The mean over the rows that count, 0 where none does; writes dy, its gradient, unless null. Of
  // a part of a larger batch, its share of that one's mean, and the gradient of that.
  virtual void loss(Loss, const Rows&, int outputs, const Real* y, const Targets<Real>&,
                    double* mean, Real* dy) = 0;

  // Measures the gradient, and sees whether it and the loss in the report are finite. If they are,
  // counts the step; else it has failed, and stays so.
  virtual void check_gradient(std::size_t count, const Real* gradient, StepReport* report) = 0;
  // The step of Adam that `report` has counted; nothing where it has failed. A gradient longer than
  // clip_norm, unless that is 0, is shortened to it first.
  virtual void adam(const AdamSettings&, double clip_norm, std::size_t count, const Real* gradient,
                    const StepReport* report, Real* parameters, Real* mean, Real* variance) = 0;

  // What no other device of any rank is called; empty where it cannot form sums with others.
  [[nodiscard]] virtual std::string name_among_ranks() const = 0;
  // Of ranks that all have a device of their own, with a name. `ranks` must outlive it.
  [[nodiscard]] virtual std::unique_ptr<RankSum<Real>> make_rank_sum(Ranks& ranks) = 0;
};

}  // namespace rwa
