#include "backend/cpu/recurrence.h"

#include <optional>
#include <vector>

#include "backend/cpu/workers.h"

namespace rwa::cpu {
namespace {

class Weights final : public LayerWeights<float> {
 public:
  explicit Weights(const RecurrentSpec& spec) : kernels_(make_strip_kernels(spec)) {}
  void load(const float* parameters) override { kernels_->pack(parameters, packed_); }

  [[nodiscard]] const PackedWeights& packed() const { return packed_; }

 private:
  std::unique_ptr<const StripKernels> kernels_;
  PackedWeights packed_;
};

class CpuPass final : public RecurrentPass<float> {
 public:
  CpuPass(const RecurrentSpec& spec, ThreadPool& pool, Gradients& sums)
      : kernels_(make_strip_kernels(spec)),
        carry_(spec.traits().carry),
        pool_(pool),
        sums_(sums),
        strips_(static_cast<std::size_t>(pool.size())) {}

  void forward(const LayerWeights<float>& weights, const RecurrentForward<float>& call) override {
    const PackedWeights& packed = static_cast<const Weights&>(weights).packed();
    kept_ = call.keep;
    run_workers(pool_, call.in.rows.cut(), [&](int worker, Range shards) {
      Strip& strip = strips_[static_cast<std::size_t>(worker)];
      strip.arrange(shards, call.in.rows);
      kernels_->forward(packed, call, strip);
    });
  }

  void backward(const LayerWeights<float>& weights, const RecurrentBackward<float>& call) override {
    const PackedWeights& packed = static_cast<const Weights&>(weights).packed();
    const Cut cut = call.in.rows.cut();
    const Geometry& g = kernels_->geometry();
    sums_.weights.prepare(cut, g.gradient_size());
    sums_.symbols.prepare(g.symbols, g.symbol_size());
    run_workers(pool_, cut, [&](int worker, Range shards) {
      sums_.weights.clear(shards);
      if (g.symbols > 0) sums_.symbols.clear(shards, call.in.rows, {call.in.symbols});
      Strip& strip = strips_[static_cast<std::size_t>(worker)];
      strip.reserve_backward(g, carry_);
      kernels_->backward(packed, call, kept_.value(), strip, sums_);
      sums_.weights.add(shards);
    });
    kernels_->unpack(sums_.weights.total(pool_.size()), call.parameters);
    run_parts(pool_, g.symbols, [&](Range symbols) {
      kernels_->unpack_symbols(symbols, sums_.symbols, call.parameters);
    });
    kept_.reset();
  }

 private:
  std::unique_ptr<const StripKernels> kernels_;
  int carry_;
  ThreadPool& pool_;
  Gradients& sums_;
  std::vector<Strip> strips_;   // [thread]
  std::optional<Memory> kept_;  // set by forward, consumed by backward
};

}  // namespace

std::unique_ptr<LayerWeights<float>> make_weights(const RecurrentSpec& spec) {
  return std::make_unique<Weights>(spec);
}

std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, ThreadPool& pool,
                                                Gradients& sums) {
  return std::make_unique<CpuPass>(spec, pool, sums);
}

}  // namespace rwa::cpu
