// src/comm/mpi/watch.h: tells ranks that are slow from ranks that hang. A thread of each rank sends
// the others a sign now and then: whether there is work, since exchanges come to an end or the
// processor does something else than wait, and for whom the rank waits. So a rank that computes for
// an hour is waited for, and one that is stopped, dead or stuck is not, and neither are ranks that
// wait for each other, whatever the rest of the job does.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rwa::mpi {

class Watch {
 public:
  using Clock = std::chrono::steady_clock;

  // Its thread calls at_each_tick, with MPI's calls to itself.
  Watch(MPI_Comm comm, std::mutex& calls, Clock::duration patience,
        std::function<void(const Watch&)> at_each_tick);
  // Sends no more signs, and returns when those sent have been taken.
  void stop_sending();
  // After all ranks have come so far.
  void stop();
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // With the calls to itself, as a tick has them: whether a rank is lost, also where nobody waits
  // for it; what is to be said of it.
  [[nodiscard]] std::optional<std::string> find_loss() const;

  // Lives as long as a thread waits for another rank.
  class Wait {
   public:
    Wait(Watch& watch, int peer) : watch_(watch), peer_(peer) {}
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    // Before asking again. Throws ResourceError when the rank is lost.
    void pause();

   private:
    void look_around();

    Watch& watch_;
    int peer_;
    Clock::time_point begin_ = Clock::now();
    bool is_known_ = false;            // to the others, as a short one need not be
    Clock::duration known_since_{};    // by the clock of Watch
    std::int64_t processor_time_ = 0;  // of this thread, so far
  };

 private:
  struct Sign {
    std::int64_t works;  // how often there was work
    std::int64_t waits_for;
  };
  struct SentSign {
    Sign sign;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Heard {
    Clock::duration last_sign{};
    Clock::duration last_work{};
    Sign sign{.works = 0, .waits_for = -1};
  };

  void run();
  // With the calls to themselves, as all that lies below the mutex:
  void tick();
  [[nodiscard]] bool has_worked();
  [[nodiscard]] int waits_for() const;
  void take_signs();
  void hear(int from, const Sign& sign);
  void send_signs();
  // What is to be said where neither the peer nor whom it waits for has worked for too long.
  [[nodiscard]] std::optional<std::string> find_loss(int peer, Clock::duration since) const;

  MPI_Comm comm_;
  Clock::duration patience_;
  std::function<void(const Watch&)> at_each_tick_;
  int rank_ = 0;
  std::atomic<std::int64_t> waits_ended_ = 0;
  std::atomic<bool> stops_ = false;

  std::mutex& calls_;
  bool sends_ = true;
  // Stands still while this process does: a job that is suspended has not been waiting.
  Clock::duration clock_{};
  Clock::time_point ticked_ = Clock::now();
  Clock::duration next_sign_;
  std::vector<SentSign> sent_;  // [rank]
  std::vector<Heard> heard_;    // [rank], of itself too
  std::vector<int> waits_;      // [rank], how many threads wait for it
  std::int64_t idle_time_ = 0;  // of the processor, in waits that are known
  std::int64_t time_before_ = 0;
  std::int64_t waits_ended_before_ = 0;
  std::thread thread_;
};

}  // namespace rwa::mpi
