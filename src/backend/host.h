// src/backend/host.h: the base of backends that use host memory and finish before a call returns:
// memory, batches used in place, operations without matrix products, and the parts of a training
// step that are one loop over the parameters.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "backend/backend.h"
#include "backend/host_parts.h"

namespace rwa {
namespace host {
#define RWA_INLINE inline
#include "backend/adam-inl.h"
#include "backend/loss-inl.h"
#undef RWA_INLINE

// Aligned to a cache line. Throws ResourceError naming the size.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;

// Returns the factor that turns a sum over the rows that count into their mean; 0 if there are
// none. For a part of a larger batch, `counted` is the number of rows in the whole batch; else 0.
double mean_scale(const Rows& rows, std::int64_t counted);

class HostReadback final : public Readback {
 public:
  explicit HostReadback(std::size_t bytes) : copy_(bytes) {}
  void request(const void* from) override { std::memcpy(copy_.data(), from, copy_.size()); }
  const void* wait() override { return copy_.data(); }

 private:
  std::vector<std::byte> copy_;
};

// Reads the caller's memory in place; its address may change with every load.
template <class Real>
class HostFeed final : public Feed<Real> {
 public:
  void load(const Sequences<Real>& host, int, const Targets<Real>& host_targets, int) override {
    this->in_ = host;
    this->targets_ = host_targets;
    ++this->shape_;
  }
};
}  // namespace host

template <class Real>
class HostBackend : public Backend<Real> {
 public:
  void* allocate(std::size_t bytes) final { return host::allocate(bytes); }
  void release(void* memory) noexcept final { host::release(memory); }
  void clear(void* memory, std::size_t bytes) final {
    if (bytes > 0) std::memset(memory, 0, bytes);
  }
  void copy_rows(std::size_t rows, std::size_t width, const Real* from, std::size_t from_stride,
                 Real* to, std::size_t to_stride) final {
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(from + row * from_stride, width, to + row * to_stride);
    }
  }
  void write(void* to, const void* host, std::size_t bytes) final {
    if (bytes > 0) std::memcpy(to, host, bytes);
  }
  void read(void* host, const void* from, std::size_t bytes) final { write(host, from, bytes); }
  [[nodiscard]] std::unique_ptr<Readback> make_readback(std::size_t bytes) final {
    return std::make_unique<host::HostReadback>(bytes);
  }
  [[nodiscard]] std::unique_ptr<Feed<Real>> make_feed() final {
    return std::make_unique<host::HostFeed<Real>>();
  }
  void between(void*, const std::function<void()>& work) final { work(); }
  void repeat(std::unique_ptr<Recording>&, const std::function<void()>& work) final { work(); }

  void beside(const std::function<void()>& one, const std::function<void()>& other) final {
    one();
    other();
  }

  void lookup(const TableSpec& spec, const Rows& rows, const Symbols& symbols, const Real* table,
              const Real* base, Real* out) final {
    in_parts(rows.batch, [&](Range sequences) {
      host::lookup(spec.width, rows, sequences, symbols, table, base, out);
    });
  }

  void unfold(int width, int kernel, const Rows& rows, const Real* before, const Real* x,
              Real* out) final {
    in_parts(rows.batch, [&](Range sequences) {
      host::unfold(width, kernel, rows, sequences, before, x, out);
    });
  }
  void unfold_backward(int width, int kernel, const Rows& rows, const Real* dout, Real* dx) final {
    in_parts(rows.batch, [&](Range sequences) {
      host::unfold_backward(width, kernel, rows, sequences, dout, dx);
    });
  }
  void last_steps(int width, int kernel, const Rows& rows, const Real* before, const Real* x,
                  Real* after) final {
    host::last_steps(width, kernel, rows, {0, rows.batch}, before, x, after);
  }
  void rectify(int width, const Rows& rows, Real* values) final {
    in_parts(rows.batch, [&](Range sequences) { host::rectify(width, rows, sequences, values); });
  }
  void rectify_backward(int width, const Rows& rows, const Real* values, Real* gradient) final {
    in_parts(rows.batch, [&](Range sequences) {
      host::rectify_backward(width, rows, sequences, values, gradient);
    });
  }

  void average(int width, const Rows& rows, const Real* score, const Real* h, Real* share,
               Real* out) final {
    in_parts(rows.batch,
             [&](Range sequences) { host::average(width, rows, sequences, score, h, share, out); });
  }
  void average_backward(int width, const Rows& rows, const Real* score, const Real* h,
                        const Real* share, const Real* dout, Real* dscore, Real* dh) final {
    std::vector<double> dscores(score == nullptr ? 0 : rows.index(rows.steps, 0));
    in_parts(rows.batch, [&](Range sequences) {
      host::average_backward(width, rows, sequences, score, h, share, dout, dscores.data(), dh);
    });
    if (dscore == nullptr) return;
    in_parts(width, [&](Range columns) {
      host::score_gradient(width, rows, columns, h, dscores.data(), dscore);
    });
  }

  void dropout(double rate, const DropoutKey& key, int width, const Rows& rows,
               Real* values) final {
    in_parts(rows.batch,
             [&](Range sequences) { host::drop(rate, key, width, rows, sequences, values); });
  }
  void add(std::size_t count, const Real* from, Real* to) final {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
  }

  void check_gradient(std::size_t count, const Real* gradient, StepReport* report) final {
    if (report->failed != 0) return;
    double sum = 0;
    std::int64_t bad = -1;
    for (std::size_t i = 0; i < count; ++i) {
      const double g = gradient[i];
      sum += g * g;
      if (bad < 0 && !std::isfinite(gradient[i] * gradient[i])) bad = static_cast<std::int64_t>(i);
    }
    report->gradient_norm = std::sqrt(sum);
    report->bad_gradient = bad;
    if (bad < 0 && std::isfinite(report->loss)) {
      ++report->steps;
    } else {
      report->failed = 1;
    }
  }

  void adam(const AdamSettings& settings, double clip_norm, std::size_t count, const Real* gradient,
            const StepReport* report, Real* parameters, Real* mean, Real* variance) final {
    if (report->failed != 0) return;
    const host::AdamStep<Real> step(settings, clip_norm, *report);
    for (std::size_t i = 0; i < count; ++i) {
      step.update(gradient[i], parameters[i], mean[i], variance[i]);
    }
  }

  [[nodiscard]] std::string name_among_ranks() const final { return {}; }
  [[nodiscard]] std::unique_ptr<RankSum<Real>> make_rank_sum(Ranks&) final { return nullptr; }

 protected:
  // Runs `work` on parts of 0 … count-1, possibly on several threads at once.
  virtual void in_parts(int count, const std::function<void(Range)>& work) { work({0, count}); }
};

}  // namespace rwa
