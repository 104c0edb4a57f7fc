// src/comm/mpi/watch.h: tells slow ranks from ranks that hang. A thread of each rank regularly
// sends the others a sign: whether the rank works (exchanges complete, or the processor does more
// than wait) and which rank it waits for. A rank that computes for an hour is waited for. A rank
// that is stopped, dead or stuck is not, nor are ranks that wait for each other, whatever the rest
// of the job does.
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

  // Its thread calls at_each_tick with `calls` held.
  Watch(MPI_Comm comm, std::mutex& calls, Clock::duration patience,
        std::function<void(const Watch&)> at_each_tick);
  // Stops sending signs, and returns when those sent have been received.
  void stop_sending();
  // Call after all ranks have stopped sending.
  void stop();
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Call with `calls` held, as in a tick. Returns a message if a rank is lost, even if no rank
  // waits for it.
  [[nodiscard]] std::optional<std::string> find_loss() const;

  // Lives while a thread waits for another rank.
  class Wait {
   public:
    Wait(Watch& watch, int peer) : watch_(watch), peer_(peer) {}
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    // Call before polling again. Throws ResourceError if the rank is lost.
    void pause();

   private:
    void look_around();

    Watch& watch_;
    int peer_;
    Clock::time_point begin_ = Clock::now();
    bool is_known_ = false;            // to the other ranks; short waits are not
    Clock::duration known_since_{};    // on the clock of Watch
    std::int64_t processor_time_ = 0;  // of this thread, so far
  };

 private:
  struct Sign {
    std::int64_t works;  // how many signs there were with work
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
  // Called with `calls_` held, which also guards the members below it:
  void tick();
  [[nodiscard]] bool has_worked();
  [[nodiscard]] int waits_for() const;
  void take_signs();
  void hear(int from, const Sign& sign);
  void send_signs();
  // Returns a message if neither the peer nor any rank it waits for has worked for too long.
  [[nodiscard]] std::optional<std::string> find_loss(int peer, Clock::duration since) const;

  MPI_Comm comm_;
  Clock::duration patience_;
  std::function<void(const Watch&)> at_each_tick_;
  int rank_ = 0;
  std::atomic<std::int64_t> waits_ended_ = 0;
  std::atomic<bool> stops_ = false;

  std::mutex& calls_;
  bool sends_ = true;
  // Stops while this process is suspended: a suspended job has not been waiting.
  Clock::duration clock_{};
  Clock::time_point ticked_ = Clock::now();
  Clock::duration next_sign_;
  std::vector<SentSign> sent_;  // [rank]
  std::vector<Heard> heard_;    // [rank], including itself
  std::vector<int> waits_;      // [rank], how many threads wait for it
  std::int64_t idle_time_ = 0;  // processor time in waits that are known
  std::int64_t time_before_ = 0;
  std::int64_t waits_ended_before_ = 0;
  std::thread thread_;
};

}  // namespace rwa::mpi
