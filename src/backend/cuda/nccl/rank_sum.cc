#include "backend/cuda/training.h"

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <exception>
#include <span>
#include <thread>
#include <utility>

#include "backend/cuda/nccl/library.h"
#include "comm/ranks.h"
#include "rwa/errors.h"

namespace rwa::cuda {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// How long to wait after an error, when the job is about to end.
constexpr auto kPatienceAfterError = 2s;

// A non-blocking NCCL communicator, so that no caller hangs inside NCCL.
class Communicator {
 public:
  Communicator(const nccl::Library& library, Ranks& ranks) : library_(library) {
    ncclUniqueId id{};
    if (ranks.rank() == 0) check(library_.get_unique_id(&id), "ncclGetUniqueId");
    ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    try {
      settle(library_.init(&comm_, ranks.size(), id, ranks.rank(), &config),
             "connecting the ranks");
    } catch (...) {
      abort();
      throw;
    }
  }
  // Aborts pending work, unless end() was called.
  ~Communicator() { abort(); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Shuts down after all pending sums have finished.
  void end() {
    settle(library_.finalize(comm_), "ncclCommFinalize");
    check(library_.destroy(std::exchange(comm_, nullptr)), "ncclCommDestroy");
  }

  // Enqueues both all-reduces on the stream, in place.
  void sum(std::size_t count, float* numbers, double* loss, cudaStream_t stream) {
    const ncclResult_t results[] = {
        library_.start_group(),
        library_.all_reduce(numbers, numbers, count, ncclFloat, ncclSum, comm_, stream),
        library_.all_reduce(loss, loss, 1, ncclDouble, ncclSum, comm_, stream),
        library_.end_group()};
    for (const ncclResult_t result : results) settle(result, "ncclAllReduce");
  }

  // Waits until is_done(). Throws ResourceError if NCCL reports an error or `patience` runs out.
  template <class IsDone>
  void expect(IsDone&& is_done, Clock::duration patience, const char* what) const {
    const auto end = Clock::now() + patience;
    while (!is_done()) {
      check(state(), what);
      if (Clock::now() > end) {
        throw ResourceError(fmt::format("NCCL: {} did not finish within {} seconds", what,
                                        std::chrono::duration<double>(patience).count()));
      }
      std::this_thread::yield();
    }
  }

 private:
  void check(ncclResult_t result, const char* what) const {
    if (result == ncclSuccess || result == ncclInProgress) return;
    throw ResourceError(fmt::format("NCCL: {}: {}: {}", what, library_.error_string(result),
                                    library_.last_error(comm_)));
  }
  [[nodiscard]] ncclResult_t state() const {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t result = library_.get_state(comm_, &state);
    return result == ncclSuccess ? state : result;
  }
  // Waits until NCCL's background work is done.
  void settle(ncclResult_t result, const char* what) const {
    check(result, what);
    expect([&] { return state() == ncclSuccess; }, kPatience, what);
  }
  void abort() noexcept {
    if (comm_ != nullptr) (void)library_.abort(std::exchange(comm_, nullptr));
  }

  const nccl::Library& library_;
  ncclComm_t comm_ = nullptr;
};

// A GPU that waits in an all-reduce for a lost rank never finishes. So the ranks meet over their
// link, which detects lost ranks: once when all have enqueued a sum, and once when all have
// computed their terms.
class NcclSum final : public RankSum<float> {
 public:
  NcclSum(const nccl::Library& library, const Context& context, Ranks& ranks)
      : context_(context), ranks_(ranks), communicator_(library, ranks) {}

  ~NcclSum() override {
    try {
      context_.make_current();
      if (failed_ || std::uncaught_exceptions() > 0) {
        // Other ranks may not meet any more, but their GPUs have the sums enqueued.
        while (!pending_.empty()) take_oldest(kPatienceAfterError);
      } else {
        while (!pending_.empty()) wait();
        communicator_.end();
      }
    } catch (...) {  // the communicator's destructor aborts
    }
  }
  NcclSum(const NcclSum&) = delete;
  NcclSum& operator=(const NcclSum&) = delete;

  void add(std::size_t count, float* numbers, double* loss) override {
    failed_ = true;  // until everything has succeeded
    context_.make_current();
    Pending& sum = pending_.emplace_back();
    sum.computed.record(context_.stream);
    communicator_.sum(count, numbers, loss, context_.stream);
    sum.summed.record(context_.stream);
    ranks_.meet();
    failed_ = false;
  }

  void wait() override {
    if (pending_.empty()) return;
    failed_ = true;
    context_.make_current();
    pending_.front().computed.wait();
    ranks_.meet();
    take_oldest(kPatience);
    failed_ = false;
  }

 private:
  struct Pending {
    Event computed, summed;
  };

  void take_oldest(Clock::duration patience) {
    communicator_.expect([&] { return pending_.front().summed.is_over(); }, patience,
                         "the all-reduce");
    pending_.pop_front();
  }

  const Context& context_;
  Ranks& ranks_;
  Communicator communicator_;
  std::deque<Pending> pending_;
  bool failed_ = false;
};

}  // namespace

bool can_sum_ranks() { return nccl::library() != nullptr; }

std::unique_ptr<RankSum<float>> make_rank_sum(const Context& context, Ranks& ranks) {
  return std::make_unique<NcclSum>(*nccl::library(), context, ranks);
}

}  // namespace rwa::cuda
