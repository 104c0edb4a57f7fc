// tests/support/far_backend.h: a simulated device for machines without a GPU. It has the arithmetic
// and the bits of the CPU, but its own memory, which the host cannot access and which starts as
// NaN. It works as late as possible: only when the host waits. It records repeated work; a replay
// knows only what its memory holds of a batch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "comm/ranks.h"
#include "rwa/errors.h"

namespace rwa::far {

// Makes every read from a device fail.
inline bool is_broken = false;
// Makes devices form sums over ranks among themselves.
inline bool sums_ranks = false;

using Work = std::function<void()>;

// No machine has addresses from here on.
constexpr std::uintptr_t kFar = std::uintptr_t{1} << 60;

template <class T>
T* to_far(T* near) {
  return near == nullptr ? nullptr : std::bit_cast<T*>(std::bit_cast<std::uintptr_t>(near) + kFar);
}
template <class T>
T* to_near(T* far) {
  return far == nullptr ? nullptr : std::bit_cast<T*>(std::bit_cast<std::uintptr_t>(far) - kFar);
}

// Pending work, and the recording in progress.
class Queue {
 public:
  void ask(Work work) { (learning_ != nullptr ? *learning_ : waiting_).push_back(std::move(work)); }
  void finish() {
    check_not_learning();
    for (; !waiting_.empty(); waiting_.pop_front()) waiting_.front()();
  }
  void learn(std::deque<Work>& into, const Work& work) {
    learning_ = &into;
    work();
    learning_ = nullptr;
  }
  void check_not_learning() const {
    if (learning_ != nullptr) throw std::logic_error("not allowed while recording");
  }

 private:
  std::deque<Work> waiting_;
  std::deque<Work>* learning_ = nullptr;
};

struct Learnt final : Recording {
  std::deque<Work> work;  // empty: run once, not recorded yet
};

// The lengths of the batch that is loaded now.
struct FarRows {
  int steps = 0;
  std::vector<std::int32_t> lengths;
  std::int64_t counted = 0;  // of targets: Targets::counted
};

inline const FarRows& placed(const Rows& rows) {
  return *reinterpret_cast<const FarRows*>(rows.placed);
}
inline Rows to_near(const Rows& rows) {
  if (rows.placed == nullptr) return rows;
  const FarRows& now = placed(rows);
  return {now.steps, rows.batch, now.lengths, nullptr, rows.part};
}
inline Sequences<float> to_near(const Sequences<float>& in) {
  return {to_near(in.x), to_near(in.rows), to_near(in.symbols)};
}
inline Targets<float> to_near(const Targets<float>& targets) {
  return {to_near(targets.classes), to_near(targets.values), to_near(targets.rows),
          placed(targets.rows).counted};
}
inline Symbols to_near(const Symbols& symbols) {
  return {to_near(symbols.of), symbols.of_step_before};
}
inline DropoutKey to_near(const DropoutKey& key) {
  return {key.seed, key.layer, to_near(key.step)};
}

class FarReadback final : public Readback {
 public:
  FarReadback(Queue& queue, std::size_t bytes) : queue_(queue), copy_(bytes) {}
  ~FarReadback() override { queue_.finish(); }
  void request(const void* from) override {
    queue_.ask([=, this] { std::memcpy(copy_.data(), to_near(from), copy_.size()); });
  }
  const void* wait() override {
    queue_.finish();
    return copy_.data();
  }

 private:
  Queue& queue_;
  std::vector<std::byte> copy_;
};

// Reads host memory only when its turn comes, as it is then.
class FarFeed final : public Feed<float> {
 public:
  explicit FarFeed(Queue& queue) : queue_(queue) {}
  ~FarFeed() override { queue_.finish(); }

  void load(const Sequences<float>& host, int inputs, const Targets<float>& host_targets,
            int outputs) override {
    const Rows& out = host_targets.rows;
    if (host.rows.steps > in_.rows.steps || out.steps > targets_.rows.steps ||
        host.rows.batch != in_.rows.batch || out.batch > targets_.rows.batch ||
        host.rows.part.whole != in_.rows.part.whole) {
      queue_.finish();
      make_room(host.rows, static_cast<std::size_t>(inputs), out,
                static_cast<std::size_t>(outputs));
    }
    queue_.ask([=, this, in_now = place(host.rows), out_now = place(out, host_targets.counted)] {
      rows_ = in_now;
      out_rows_ = out_now;
      const std::size_t x_size = count(host.rows.steps, host.rows.batch);
      const std::size_t y_size = count(out.steps, out.batch);
      copy(host.x, x_size * static_cast<std::size_t>(inputs), x_);
      copy(host.symbols, x_size, symbols_);
      copy(host_targets.classes, y_size, classes_);
      copy(host_targets.values, y_size * static_cast<std::size_t>(outputs), values_);
    });
  }

 private:
  static std::size_t count(int steps, int batch) {
    return static_cast<std::size_t>(steps) * static_cast<std::size_t>(batch);
  }
  static FarRows place(const Rows& rows, std::int64_t counted = 0) {
    FarRows out{rows.steps, {rows.lengths.begin(), rows.lengths.end()}, counted};
    if (out.lengths.empty()) out.lengths.assign(count(1, rows.batch), rows.steps);
    return out;
  }
  // Rows with room for more steps than `now` has; the lengths are those of `now`.
  static Rows roomy(int steps, const Rows& rows, const FarRows& now) {
    return {steps + 3, rows.batch, {}, reinterpret_cast<const PlacedRows*>(&now), rows.part};
  }
  template <class T>
  static void copy(const T* from, std::size_t size, std::vector<T>& to) {
    if (from != nullptr) std::copy_n(from, size, to.begin());
  }
  void make_room(const Rows& rows, std::size_t inputs, const Rows& out, std::size_t outputs) {
    in_.rows = roomy(std::max(rows.steps, in_.rows.steps), rows, rows_);
    targets_.rows = roomy(std::max(out.steps, targets_.rows.steps), out, out_rows_);
    const std::size_t x_size = count(in_.rows.steps, rows.batch);
    const std::size_t y_size = count(targets_.rows.steps, out.batch);
    x_.assign(x_size * inputs, 0);
    symbols_.assign(x_size, 0);
    classes_.assign(y_size, 0);
    values_.assign(y_size * outputs, 0);
    in_ = {to_far(x_.data()), in_.rows, to_far(symbols_.data())};
    targets_ = {to_far(classes_.data()), to_far(values_.data()), targets_.rows};
    ++shape_;
  }

  Queue& queue_;
  FarRows rows_, out_rows_;
  std::vector<float> x_;
  std::vector<std::int32_t> symbols_;
  std::vector<std::int32_t> classes_;
  std::vector<float> values_;
};

class FarWeights final : public LayerWeights<float> {
 public:
  FarWeights(Queue& queue, std::unique_ptr<LayerWeights<float>> cpu)
      : queue_(queue), cpu_(std::move(cpu)) {}
  ~FarWeights() override { queue_.finish(); }
  void load(const float* parameters) override {
    queue_.ask([=, this] { cpu_->load(to_near(parameters)); });
  }
  static const LayerWeights<float>& of(const LayerWeights<float>& weights) {
    return *static_cast<const FarWeights&>(weights).cpu_;
  }

 private:
  Queue& queue_;
  std::unique_ptr<LayerWeights<float>> cpu_;
};

class FarPass final : public RecurrentPass<float> {
 public:
  FarPass(Queue& queue, std::unique_ptr<RecurrentPass<float>> cpu)
      : queue_(queue), cpu_(std::move(cpu)) {}
  ~FarPass() override { queue_.finish(); }

  void forward(const LayerWeights<float>& weights, const RecurrentForward<float>& c) override {
    queue_.ask([=, this, &w = FarWeights::of(weights)] {
      cpu_->forward(w, {to_near(c.in), to_near(c.initial_state), to_near(c.h_every),
                        to_near(c.h_last), to_near(c.final_state), c.keep});
    });
  }
  void backward(const LayerWeights<float>& weights, const RecurrentBackward<float>& c) override {
    queue_.ask([=, this, &w = FarWeights::of(weights)] {
      cpu_->backward(w, {to_near(c.in), to_near(c.initial_state), to_near(c.dh_every),
                         to_near(c.dh_last), to_near(c.parameters), to_near(c.x),
                         to_near(c.initial), nullptr, to_near(c.dfinal_state)});
    });
  }

 private:
  Queue& queue_;
  std::unique_ptr<RecurrentPass<float>> cpu_;
};

// Here the host adds, at once.
class FarSum final : public RankSum<float> {
 public:
  FarSum(Queue& queue, Ranks& ranks) : queue_(queue), ranks_(ranks) {}
  void add(std::size_t count, float* numbers, double* loss) override {
    queue_.finish();
    ranks_.sum(std::span(to_near(numbers), count));
    ranks_.sum(std::span(to_near(loss), 1));
  }
  void wait() override {}

 private:
  Queue& queue_;
  Ranks& ranks_;
};

class FarBackend final : public Backend<float> {
 public:
  void* allocate(std::size_t bytes) override {
    queue_.check_not_learning();
    void* memory = cpu_->allocate(bytes);
    std::memset(memory, 0xFF, bytes);
    return to_far(memory);
  }
  void release(void* memory) noexcept override {
    queue_.finish();
    cpu_->release(to_near(memory));
  }
  void clear(void* memory, std::size_t bytes) override {
    queue_.ask([=, this] { cpu_->clear(to_near(memory), bytes); });
  }
  void copy_rows(std::size_t rows, std::size_t width, const float* from, std::size_t from_stride,
                 float* to, std::size_t to_stride) override {
    queue_.ask([=, this] {
      cpu_->copy_rows(rows, width, to_near(from), from_stride, to_near(to), to_stride);
    });
  }
  void write(void* to, const void* host, std::size_t bytes) override {
    queue_.check_not_learning();
    const auto* first = static_cast<const std::byte*>(host);
    queue_.ask([=, this, copy = std::vector<std::byte>(first, first + bytes)] {
      cpu_->write(to_near(to), copy.data(), bytes);
    });
  }
  void read(void* host, const void* from, std::size_t bytes) override {
    if (is_broken) throw ResourceError("the device has failed");
    queue_.finish();
    cpu_->read(host, to_near(from), bytes);
  }
  [[nodiscard]] std::unique_ptr<Readback> make_readback(std::size_t bytes) override {
    return std::make_unique<FarReadback>(queue_, bytes);
  }
  [[nodiscard]] std::unique_ptr<Feed<float>> make_feed() override {
    return std::make_unique<FarFeed>(queue_);
  }

  void between(void*, const Work& work) override { work(); }

  void repeat(std::unique_ptr<Recording>& recording, const Work& work) override {
    if (recording == nullptr) {
      work();
      queue_.finish();  // scratch memory has grown
      recording = std::make_unique<Learnt>();
      return;
    }
    auto& learnt = static_cast<Learnt&>(*recording).work;
    if (learnt.empty()) queue_.learn(learnt, work);
    for (const Work& part : learnt) queue_.ask(part);
  }

  [[nodiscard]] std::unique_ptr<LayerWeights<float>> make_weights(
      const RecurrentSpec& spec) const override {
    return std::make_unique<FarWeights>(queue_, cpu_->make_weights(spec));
  }
  [[nodiscard]] std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec,
                                                                int beside) override {
    return std::make_unique<FarPass>(queue_, cpu_->make_pass(spec, beside));
  }
  // Runs the second one first: neither may depend on the other.
  void beside(const Work& one, const Work& other) override {
    other();
    one();
  }
  [[nodiscard]] std::unique_ptr<LayerWeights<float>> make_weights(
      const DenseSpec& spec) const override {
    return std::make_unique<FarWeights>(queue_, cpu_->make_weights(spec));
  }

  void dense_forward(const DenseSpec& spec, const LayerWeights<float>& weights, const Rows& rows,
                     const float* h, float* y) override {
    queue_.ask([=, this, &w = FarWeights::of(weights)] {
      cpu_->dense_forward(spec, w, to_near(rows), to_near(h), to_near(y));
    });
  }
  void dense_backward(const DenseSpec& spec, const LayerWeights<float>& weights, const Rows& rows,
                      const float* h, const float* dy, float* dparameters, float* dh) override {
    queue_.ask([=, this, &w = FarWeights::of(weights)] {
      cpu_->dense_backward(spec, w, to_near(rows), to_near(h), to_near(dy), to_near(dparameters),
                           to_near(dh));
    });
  }
  void loss(const LossSpec& loss, const Rows& rows, int outputs, const float* y,
            const Targets<float>& targets, double* mean, float* dy) override {
    queue_.ask([=, this] {
      cpu_->loss(loss, to_near(rows), outputs, to_near(y), to_near(targets), to_near(mean),
                 to_near(dy));
    });
  }
  void lookup(const TableSpec& spec, const Rows& rows, const Symbols& symbols, const float* table,
              const float* base, float* out) override {
    queue_.ask([=, this] {
      cpu_->lookup(spec, to_near(rows), to_near(symbols), to_near(table), to_near(base),
                   to_near(out));
    });
  }
  void lookup_backward(const TableSpec& spec, const Rows& rows, const Symbols& symbols,
                       const float* dout, float* dtable, float* dbase) override {
    queue_.ask([=, this] {
      cpu_->lookup_backward(spec, to_near(rows), to_near(symbols), to_near(dout), to_near(dtable),
                            to_near(dbase));
    });
  }
  void unfold(int width, int kernel, const Rows& rows, const float* before, const float* x,
              float* out) override {
    queue_.ask([=, this] {
      cpu_->unfold(width, kernel, to_near(rows), to_near(before), to_near(x), to_near(out));
    });
  }
  void unfold_backward(int width, int kernel, const Rows& rows, const float* dout,
                       float* dx) override {
    queue_.ask([=, this] {
      cpu_->unfold_backward(width, kernel, to_near(rows), to_near(dout), to_near(dx));
    });
  }
  void last_steps(int width, int kernel, const Rows& rows, const float* before, const float* x,
                  float* after) override {
    queue_.ask([=, this] {
      cpu_->last_steps(width, kernel, to_near(rows), to_near(before), to_near(x), to_near(after));
    });
  }
  void rectify(int width, const Rows& rows, float* values) override {
    queue_.ask([=, this] { cpu_->rectify(width, to_near(rows), to_near(values)); });
  }
  void rectify_backward(int width, const Rows& rows, const float* values,
                        float* gradient) override {
    queue_.ask([=, this] {
      cpu_->rectify_backward(width, to_near(rows), to_near(values), to_near(gradient));
    });
  }
  void average(int width, const Rows& rows, const float* score, const float* h, float* share,
               float* out) override {
    queue_.ask([=, this] {
      cpu_->average(width, to_near(rows), to_near(score), to_near(h), to_near(share), to_near(out));
    });
  }
  void average_backward(int width, const Rows& rows, const float* score, const float* h,
                        const float* share, const float* dout, float* dscore, float* dh) override {
    queue_.ask([=, this] {
      cpu_->average_backward(width, to_near(rows), to_near(score), to_near(h), to_near(share),
                             to_near(dout), to_near(dscore), to_near(dh));
    });
  }
  void dropout(double rate, const DropoutKey& key, int width, const Rows& rows,
               float* values) override {
    queue_.ask(
        [=, this] { cpu_->dropout(rate, to_near(key), width, to_near(rows), to_near(values)); });
  }
  void add(std::size_t count, const float* from, float* to) override {
    queue_.ask([=, this] { cpu_->add(count, to_near(from), to_near(to)); });
  }
  void check_gradient(std::size_t count, const float* gradient, StepReport* report) override {
    queue_.ask([=, this] { cpu_->check_gradient(count, to_near(gradient), to_near(report)); });
  }
  void adam(const AdamSettings& settings, double clip_norm, std::size_t count,
            const float* gradient, const StepReport* report, float* parameters, float* mean,
            float* variance) override {
    queue_.ask([=, this] {
      cpu_->adam(settings, clip_norm, count, to_near(gradient), to_near(report),
                 to_near(parameters), to_near(mean), to_near(variance));
    });
  }

  [[nodiscard]] std::string name_among_ranks() const override {
    return sums_ranks ? std::to_string(std::bit_cast<std::uintptr_t>(this)) : std::string();
  }
  [[nodiscard]] std::unique_ptr<RankSum<float>> make_rank_sum(Ranks& ranks) override {
    return std::make_unique<FarSum>(queue_, ranks);
  }

 private:
  std::unique_ptr<Backend<float>> cpu_ = make_cpu_backend(1);
  mutable Queue queue_;
};

}  // namespace rwa::far
