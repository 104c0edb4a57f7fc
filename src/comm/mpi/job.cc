#include "comm/job.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "comm/mpi/calls.h"
#include "comm/mpi/watch.h"
#include "comm/ranks.h"

namespace rwa {
namespace {

using namespace std::chrono_literals;
using Clock = mpi::Watch::Clock;

// The longest message. MPI transfers long messages only while a rank polls, and a rank that has
// waited for long polls seldom. After the first piece, the peer is known to be awake.
constexpr std::size_t kMostBytes = std::size_t{1} << 18;
// Short enough to leave at once: the sender of a failure report need not live until it is received.
constexpr std::size_t kLongestReport = 2000;
// How long other ranks leave a report to rank 0; then the lowest of them prints it.
constexpr auto kGrace = 3s;
constexpr auto kGraceOfEach = 500ms;
constexpr auto kMostGrace = 6s;
constexpr auto kTimeToRead = 200ms;

// For example "Open MPI v4.1.4", the start of a long text.
std::string name_of_mpi() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n\t"));
}

class MpiJob final : public Job, private Link {
 public:
  explicit MpiJob(const JobOptions& options)
      : speaker_(options.speaker),
        lost_status_(options.lost_status),
        abandoned_(options.abandoned) {
    mpi::check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
    mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    mpi::check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    MPI_Comm here = MPI_COMM_NULL;
    mpi::check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here),
               "MPI_Comm_split_type");
    mpi::check(MPI_Comm_rank(here, &local_rank_), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(here, &local_size_), "MPI_Comm_size");
    cpu_set_t cores;
    CPU_ZERO(&cores);
    (void)sched_getaffinity(0, sizeof(cores), &cores);
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, here),
               "MPI_Allreduce");
    local_cores_ = CPU_COUNT(&cores);
    mpi::check(MPI_Comm_free(&here), "MPI_Comm_free");
    watch_.emplace(comm_, calls_, options.patience, [this](const mpi::Watch& watch) {
      see_launcher();
      if (rank_ > 0) return;
      take_failures();
      hand_out_tickets();
      if (const auto loss = watch.find_loss()) speak_for(report_of(speaker_ + *loss, lost_status_));
    });
  }

  // All signs are received before the first rank leaves.
  ~MpiJob() override {
    try {
      Ranks ranks(this);
      ranks.meet();
      watch_->stop_sending();
      ranks.meet();
      watch_.reset();
      MPI_Comm_free(&comm_);
      MPI_Finalize();
    } catch (const std::exception& error) {
      fail(speaker_ + error.what(), lost_status_);
    }
  }

  [[nodiscard]] Link& link() override { return *this; }
  [[nodiscard]] int local_rank() const override { return local_rank_; }
  [[nodiscard]] int local_size() const override { return local_size_; }
  [[nodiscard]] int local_cores() const override { return local_cores_; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    while (!out.empty() || !in.empty()) {
      const std::size_t sent = std::min(out.size(), kMostBytes);
      const std::size_t received = std::min(in.size(), kMostBytes);
      exchange_some(peer, mpi::kData, out.first(sent), in.first(received));
      out = out.subspan(sent);
      in = in.subspan(received);
    }
  }

  std::int64_t ticket() override {
    if (rank_ == 0) return next_ticket_++;
    const std::lock_guard lock(one_asks_);
    const std::byte request{};
    std::int64_t number = 0;
    exchange_some(0, mpi::kTicket, std::span(&request, 1),
                  std::as_writable_bytes(std::span(&number, 1)));
    return number;
  }

  [[noreturn]] void fail(std::string_view message, int status) override {
    const std::string report = report_of(message, status);
    if (rank_ > 0) leave_it_to_rank_0(report);
    const std::lock_guard lock(calls_);
    speak_for(report);
  }

 private:
  [[nodiscard]] static std::string report_of(std::string_view message, int status) {
    std::string report(reinterpret_cast<const char*>(&status), sizeof(status));
    return report.append(message.substr(0, kLongestReport));
  }

  // A receive and a send. The destructor cancels a receive that is still open, because its buffer
  // is about to go.
  struct Requests {
    std::mutex& calls;
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    bool are_done() {
      const std::lock_guard lock(calls);
      int done = 0;
      mpi::check(MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE), "a message between ranks");
      return done != 0;
    }
    ~Requests() {
      if (both[0] == MPI_REQUEST_NULL) return;
      const std::lock_guard lock(calls);
      int done = 0;
      MPI_Cancel(&both[0]);
      MPI_Test(&both[0], &done, MPI_STATUS_IGNORE);
    }
  };

  void exchange_some(int peer, mpi::Tag tag, std::span<const std::byte> out,
                     std::span<std::byte> in) {
    Requests requests{calls_};
    {
      const std::lock_guard lock(calls_);
      if (!in.empty()) {
        mpi::check(MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_BYTE, peer, tag, comm_,
                             &requests.both[0]),
                   "MPI_Irecv");
      }
      if (!out.empty()) {
        mpi::check(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, peer, tag, comm_,
                             &requests.both[1]),
                   "MPI_Isend");
      }
    }
    mpi::Watch::Wait wait(*watch_, peer);
    while (!requests.are_done()) wait.pause();
  }

  // Runs on the watch thread.
  void see_launcher() {
    if (abandoned_ && ::getppid() != launcher_) std::exchange(abandoned_, {})();
  }

  // The next four run on rank 0's watch thread, which holds `calls_`.
  [[nodiscard]] bool has_arrived(mpi::Tag tag, MPI_Status& status) const {
    int found = 0;
    return MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &found, &status) == MPI_SUCCESS && found != 0;
  }

  [[nodiscard]] bool receive(const MPI_Status& from, std::span<std::byte> bytes) const {
    return MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from.MPI_SOURCE,
                    from.MPI_TAG, comm_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }

  // If rank 0 was suspended, it drops the reports: other ranks have printed theirs, or will.
  void take_failures() {
    const auto before = std::exchange(looked_, Clock::now());
    MPI_Status status;
    while (has_arrived(mpi::kFailure, status)) {
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      std::string report(static_cast<std::size_t>(size), '\0');
      if (!receive(status, std::as_writable_bytes(std::span(report)))) return;
      if (looked_ - before < kGrace) speak_for(report);
    }
  }

  // Ready sends are safe: a rank posts its receive before it asks.
  void hand_out_tickets() {
    MPI_Status status;
    std::byte request{};
    while (has_arrived(mpi::kTicket, status) && receive(status, std::span(&request, 1))) {
      const std::int64_t number = next_ticket_++;
      MPI_Rsend(&number, sizeof(number), MPI_BYTE, status.MPI_SOURCE, mpi::kTicket, comm_);
    }
  }

  void leave_it_to_rank_0(const std::string& report) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(calls_);
      MPI_Isend(report.data(), static_cast<int>(report.size()), MPI_BYTE, 0, mpi::kFailure, comm_,
                &request);
    }
    const auto end =
        Clock::now() + std::min<Clock::duration>(kGrace + kGraceOfEach * rank_, kMostGrace);
    while (Clock::now() < end) {
      {
        const std::lock_guard lock(calls_);
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      }
      std::this_thread::sleep_for(1ms);
    }
  }

  // Call with `calls_` held, which is never released.
  [[noreturn]] void speak_for(const std::string& report) const {
    int status = 1;
    std::memcpy(&status, report.data(), sizeof(status));
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", report.c_str() + sizeof(status));
    std::fflush(stderr);
    // Output that the launcher has not read by then is lost.
    std::this_thread::sleep_for(kTimeToRead);
    // With a copy of the world, MPICH would first notify all ranks, even stopped ones.
    MPI_Abort(MPI_COMM_WORLD, status);
    for (;;) std::this_thread::sleep_for(1s);  // until the job ends
  }

  const std::string speaker_;
  const int lost_status_;
  const pid_t launcher_ = ::getppid();
  std::function<void()> abandoned_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  int local_cores_ = 1;
  std::mutex calls_;
  std::mutex one_asks_;
  // On rank 0:
  std::atomic<std::int64_t> next_ticket_ = 0;
  Clock::time_point looked_ = Clock::now();  // when reports were last taken
  std::optional<mpi::Watch> watch_;
};

}  // namespace

std::unique_ptr<Job> Job::join(const JobOptions& options) {
  const int launched = launched_ranks();
  if (launched == 1) return nullptr;
  // Otherwise Open MPI yields in every call if ranks share cores; see Watch::Wait::pause().
  (void)setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
  int provided = 0;
  mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init");
  if (provided < MPI_THREAD_SERIALIZED) {
    throw ResourceError("this MPI does not support MPI_THREAD_SERIALIZED, which rwa needs");
  }
  int size = 0;
  mpi::check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  if (size == 1) {
    throw ResourceError(
        fmt::format("started as one of {} ranks, but MPI found only one: use the mpirun of the MPI "
                    "that this program was built with ({}), or srun with its --mpi= option",
                    launched, name_of_mpi()));
  }
  return std::make_unique<MpiJob>(options);
}

}  // namespace rwa
