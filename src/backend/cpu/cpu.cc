#include "backend/device.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "backend/cpu/kernels.h"
#include "backend/cpu/recurrence.h"
#include "backend/cpu/symbol_sums.h"
#include "backend/cpu/workers.h"
#include "backend/host.h"
#include "rwa/errors.h"

namespace rwa {
namespace {

struct InstructionSet {
  std::string_view name;
  std::int64_t target;
};
// From slowest to fastest. HWY_STATIC_TARGET is what the compiler may use anywhere.
constexpr std::array kSets = {InstructionSet{"baseline", HWY_STATIC_TARGET},
                              InstructionSet{"sse4", HWY_SSE4}, InstructionSet{"avx2", HWY_AVX2},
                              InstructionSet{"avx512", HWY_AVX3}};

std::string instruction_sets() {
  std::string all;
  for (const auto& set : kSets) all += (all.empty() ? "" : ", ") + std::string(set.name);
  return all;
}

void obey(std::string_view wanted) {
  for (const auto& set : kSets) {
    if (set.name != wanted) continue;
    if (set.target != HWY_STATIC_TARGET && (hwy::SupportedTargets() & set.target) == 0) {
      throw ConfigError(fmt::format("RWA_CPU={} is not supported by this CPU", wanted));
    }
    hwy::SetSupportedTargetsForTest(set.target);
    return;
  }
  throw ConfigError(
      fmt::format("RWA_CPU={} is unknown, expected one of: {}", wanted, instruction_sets()));
}

// Applies RWA_CPU, once per process. Throws ConfigError if the name is unknown or this CPU does not
// support it.
void choose_instruction_set() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char* wanted = std::getenv("RWA_CPU"); wanted != nullptr) obey(wanted);
  });
}

struct DenseWeights final : LayerWeights<float> {
  explicit DenseWeights(const DenseSpec& dense) : spec(dense) {}
  void load(const float* parameters) override {
    cpu::dense_kernels().pack(spec, parameters, packed);
  }
  DenseSpec spec;
  cpu::PackedDense packed;
};

class CpuBackend final : public HostBackend<float> {
 public:
  explicit CpuBackend(int threads) : pool_(std::min(threads, kShards)) {}

  [[nodiscard]] std::unique_ptr<LayerWeights<float>> make_weights(
      const RecurrentSpec& spec) const override {
    return cpu::make_weights(spec);
  }
  [[nodiscard]] std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec,
                                                                int) override {
    return cpu::make_pass(spec, pool_, recurrent_gradients_);
  }

  [[nodiscard]] std::unique_ptr<LayerWeights<float>> make_weights(
      const DenseSpec& spec) const override {
    return std::make_unique<DenseWeights>(spec);
  }

  void dense_forward(const DenseSpec& spec, const LayerWeights<float>& weights, const Rows& rows,
                     const float* h, float* y) override {
    const auto& packed = static_cast<const DenseWeights&>(weights).packed;
    const Cut cut = rows.cut();
    cpu::run_workers(pool_, cut, [&](int, Range shards) {
      cpu::dense_kernels().forward(spec, packed, rows, cut.rows(shards), h, y);
    });
  }

  void dense_backward(const DenseSpec& spec, const LayerWeights<float>& weights, const Rows& rows,
                      const float* h, const float* dy, float* dparameters, float* dh) override {
    const auto& packed = static_cast<const DenseWeights&>(weights).packed;
    const auto& kernels = cpu::dense_kernels();
    const Cut cut = rows.cut();
    dense_gradients_.prepare(cut, kernels.packed_size(spec));
    cpu::run_workers(pool_, cut, [&](int, Range shards) {
      dense_gradients_.clear(shards);
      for (int s = shards.begin; s < shards.end; ++s) {
        const Range sequences = cut.rows(s);
        if (sequences.size() == 0) continue;
        kernels.backward(spec, packed, rows, sequences, h, dy, dense_gradients_.shard(s), dh);
      }
      dense_gradients_.add(shards);
    });
    kernels.unpack(spec, dense_gradients_.total(pool_.size()), dparameters);
  }

  void loss(const LossSpec& loss, const Rows& rows, int outputs, const float* y,
            const Targets<float>& targets, double* mean, float* dy) override {
    const double scale = host::mean_scale(rows, targets.counted);
    const Cut cut = rows.cut();
    // Each shard's sum is scaled before they are added, so that the ranks' shares add up to the
    // mean of one process.
    std::array<double, kShards> shares{};
    cpu::run_workers(pool_, cut, [&](int, Range shards) {
      for (int s = shards.begin; s < shards.end; ++s) {
        double sum = 0;
        host::for_each_row(rows, cut.rows(s), [&](int t, int b) {
          sum += host::loss_row(loss, outputs, rows.index(t, b), y, targets, scale, dy);
        });
        shares[static_cast<std::size_t>(s)] = sum * scale;
      }
    });
    *mean = tree_sum(std::span<const double>(shares).first(static_cast<std::size_t>(cut.count())));
  }

  void lookup_backward(const TableSpec& spec, const Rows& rows, const Symbols& symbols,
                       const float* dout, float* dtable, float* dbase) override {
    const Cut cut = rows.cut();
    table_gradients_.prepare(spec.symbols, static_cast<std::size_t>(spec.width));
    cpu::run_workers(pool_, cut, [&](int, Range shards) {
      table_gradients_.clear(shards, rows, symbols);
      for (int s = shards.begin; s < shards.end; ++s) {
        const auto row_of = [&](std::size_t symbol) {
          return table_gradients_.row(s, static_cast<std::int32_t>(symbol));
        };
        host::lookup_backward(spec.width, rows, cut.rows(s), symbols, dout, row_of, dbase);
      }
    });
    cpu::run_parts(pool_, spec.symbols, [&](Range some) {
      for (int symbol = some.begin; symbol < some.end; ++symbol) {
        const float* sum = table_gradients_.total(symbol);
        if (sum == nullptr) continue;
        float* to = host::row_at(dtable, static_cast<std::size_t>(symbol), spec.width);
        for (int c = 0; c < spec.width; ++c) to[c] += sum[c];
      }
    });
  }

 private:
  void in_parts(int count, const std::function<void(Range)>& work) override {
    cpu::run_parts(pool_, count, work);
  }

  ThreadPool pool_;
  cpu::Gradients recurrent_gradients_;
  cpu::ShardSums dense_gradients_;
  cpu::SymbolSums table_gradients_;
};
}  // namespace

std::unique_ptr<Backend<float>> make_cpu_backend(int threads) {
  choose_instruction_set();
  return std::make_unique<CpuBackend>(threads);
}

std::string cpu_instruction_set() {
  choose_instruction_set();
  const std::int64_t supported = hwy::SupportedTargets();
  std::string_view best = kSets.front().name;
  for (const auto& set : kSets) {
    if ((supported & set.target) != 0) best = set.name;
  }
  return std::string(best);
}

// The best of many short windows. All threads start together and the last one ends the window, so
// that oversubscribed cores do not look faster.
double cpu_peak_flops(int threads, double seconds) {
  using Clock = std::chrono::steady_clock;
  choose_instruction_set();
  ThreadPool pool(threads);
  std::vector<double> operations(static_cast<std::size_t>(threads));
  double best = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const auto start = Clock::now();
    pool.run([&](int worker) {
      double& sum = operations[static_cast<std::size_t>(worker)];
      sum = 0;
      for (int i = 0; i < 20; ++i) sum += cpu::multiply_add_operations();
    });
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, std::accumulate(operations.begin(), operations.end(), 0.0) / elapsed);
  }
  return best;
}

}  // namespace rwa
