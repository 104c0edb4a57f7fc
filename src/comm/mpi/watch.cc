#include "comm/mpi/watch.h"

#include <sys/prctl.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "comm/mpi/calls.h"

namespace rwa::mpi {
namespace {
using namespace std::chrono_literals;

constexpr auto kTick = 20ms;
// Less does not count as work: MPI's own threads wake up now and then.
constexpr std::int64_t kLeastWork = 1'000'000;  // ns
constexpr auto kSpin = 50us;
constexpr auto kShortWait = 10ms;
constexpr auto kLongestSleep = 1ms;

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  (void)clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}
}  // namespace

Watch::Watch(MPI_Comm comm, std::mutex& calls, Clock::duration patience,
             std::function<void(const Watch&)> at_each_tick)
    : comm_(comm),
      patience_(patience),
      at_each_tick_(std::move(at_each_tick)),
      calls_(calls),
      next_sign_(patience / 10) {
  int size = 0;
  check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  sent_.resize(static_cast<std::size_t>(size));
  heard_.resize(sent_.size());
  waits_.resize(sent_.size());
  thread_ = std::thread([this] { run(); });
}

void Watch::run() {
  while (!stops_) {
    std::this_thread::sleep_for(kTick);
    const std::lock_guard lock(calls_);
    tick();
  }
}

void Watch::tick() {
  const auto now = Clock::now();
  clock_ += std::min<Clock::duration>(now - ticked_, patience_ / 10);  // longer: it was suspended
  ticked_ = now;
  take_signs();
  at_each_tick_(*this);
  if (sends_ && clock_ >= next_sign_) {
    next_sign_ = clock_ + patience_ / 10;
    send_signs();
  }
}

// This thread's own time does not count as work.
bool Watch::has_worked() {
  const std::int64_t time =
      nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - nanoseconds(CLOCK_THREAD_CPUTIME_ID) - idle_time_;
  const std::int64_t spent = time - std::exchange(time_before_, time);
  const std::int64_t ended = waits_ended_;
  return std::exchange(waits_ended_before_, ended) != ended || spent >= kLeastWork;
}

int Watch::waits_for() const {
  const auto found =
      std::find_if(waits_.begin(), waits_.end(), [](int count) { return count > 0; });
  return found == waits_.end() ? -1 : static_cast<int>(found - waits_.begin());
}

void Watch::take_signs() {
  int found = 0;
  MPI_Status status;
  while (MPI_Iprobe(MPI_ANY_SOURCE, kSign, comm_, &found, &status) == MPI_SUCCESS && found != 0) {
    Sign sign{};
    if (MPI_Recv(&sign, sizeof(sign), MPI_BYTE, status.MPI_SOURCE, kSign, comm_,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      return;
    }
    hear(status.MPI_SOURCE, sign);
  }
}

void Watch::hear(int from, const Sign& sign) {
  Heard& heard = heard_[static_cast<std::size_t>(from)];
  heard.last_sign = clock_;
  if (sign.works != heard.sign.works) heard.last_work = clock_;
  heard.sign = sign;
}

// Synchronous sends show when a sign has been received. Until then, no other one is sent.
void Watch::send_signs() {
  const std::int64_t works = heard_[static_cast<std::size_t>(rank_)].sign.works;
  const Sign sign{.works = works + (has_worked() ? 1 : 0), .waits_for = waits_for()};
  hear(rank_, sign);
  for (int peer = 0; peer < static_cast<int>(sent_.size()); ++peer) {
    if (peer == rank_) continue;
    SentSign& sent = sent_[static_cast<std::size_t>(peer)];
    int done = 0;
    if (MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0) continue;
    sent.sign = sign;
    MPI_Issend(&sent.sign, sizeof(sign), MPI_BYTE, peer, kSign, comm_, &sent.request);
  }
}

// Follows the chain of waits from the peer: one of these ranks has to work.
std::optional<std::string> Watch::find_loss(int peer, Clock::duration since) const {
  int last = peer;
  for (int next = peer, hops = 0; next >= 0 && hops < static_cast<int>(heard_.size()); ++hops) {
    last = next;
    const Heard& heard = heard_[static_cast<std::size_t>(next)];
    since = std::max(since, heard.last_work);
    // The last sign of a silent rank is out of date.
    next = clock_ - heard.last_sign > patience_ ? -1 : static_cast<int>(heard.sign.waits_for);
  }
  if (clock_ - since <= patience_) return std::nullopt;
  return fmt::format(
      "rank {} has not answered rank {} for {} s, and rank {} showed no sign of work in that time",
      peer, rank_, std::chrono::duration<double>(patience_).count(), last);
}

std::optional<std::string> Watch::find_loss() const {
  for (int peer = 0; peer < static_cast<int>(heard_.size()); ++peer) {
    if (auto loss = find_loss(peer, {}); loss && peer != rank_) return loss;
  }
  return std::nullopt;
}

void Watch::stop_sending() {
  {
    const std::lock_guard lock(calls_);
    sends_ = false;
  }
  for (int peer = 0; peer < static_cast<int>(sent_.size()); ++peer) {
    const auto is_taken = [&] {
      const std::lock_guard lock(calls_);
      int done = 0;
      check(MPI_Test(&sent_[static_cast<std::size_t>(peer)].request, &done, MPI_STATUS_IGNORE),
            "MPI_Test");
      return done != 0;
    };
    Wait wait(*this, peer);
    while (!is_taken()) wait.pause();
  }
}

void Watch::stop() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

Watch::Wait::~Wait() {
  ++watch_.waits_ended_;
  if (!is_known_) return;
  const std::lock_guard lock(watch_.calls_);
  --watch_.waits_[static_cast<std::size_t>(peer_)];
}

// The longer the wait, the longer the sleep: a quick answer is seen at once, and a slow one leaves
// the core to others. Yielding instead would cost this thread its next time slices on a busy
// machine.
void Watch::Wait::pause() {
  const auto waited = Clock::now() - begin_;
  if (waited < kSpin) return;
  if (waited > kShortWait) look_around();
  (void)prctl(PR_SET_TIMERSLACK, 1);  // otherwise a sleep takes 50 us longer
  std::this_thread::sleep_for(std::min<Clock::duration>(waited / 16, kLongestSleep));
}

void Watch::Wait::look_around() {
  const std::lock_guard lock(watch_.calls_);
  const std::int64_t time = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  if (is_known_) {
    watch_.idle_time_ += time - processor_time_;
  } else {
    is_known_ = true;
    known_since_ = watch_.clock_;
    ++watch_.waits_[static_cast<std::size_t>(peer_)];
  }
  processor_time_ = time;
  if (const auto loss = watch_.find_loss(peer_, known_since_)) throw ResourceError(*loss);
}

}  // namespace rwa::mpi
