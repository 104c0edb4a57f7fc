// tests/base/threads_test.cc: a pool runs each job once, rethrows exceptions, and works in a forked
// child.
#include "base/threads.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace rwa {
namespace {

// Returns how often each job ran.
std::vector<int> runs_of(ThreadPool& pool) {
  std::vector<std::atomic<int>> counts(static_cast<std::size_t>(pool.size()));
  pool.run([&](int index) { ++counts[static_cast<std::size_t>(index)]; });
  return {counts.begin(), counts.end()};
}

TEST(ThreadPool, RunsEachJobOnce) {
  for (int threads = 1; threads <= 4; ++threads) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      EXPECT_EQ(runs_of(pool), std::vector<int>(static_cast<std::size_t>(threads), 1));
    }
  }
}

TEST(ThreadPool, HandsOnWhatAJobThrows) {
  ThreadPool pool(3);
  for (int thrower = 0; thrower < 3; ++thrower) {
    const auto job = [&](int index) {
      if (index == thrower) throw std::runtime_error("no");
    };
    EXPECT_THROW(pool.run(job), std::runtime_error);
    EXPECT_EQ(runs_of(pool), (std::vector<int>{1, 1, 1}));
  }
}

TEST(ThreadPool, WorksAndEndsInAChildOfTheProcess) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer does not follow a process with threads into its child";
#endif
  auto pool = std::make_unique<ThreadPool>(3);
  (void)runs_of(*pool);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // in case it waits for threads that do not exist
    const bool all_ran = runs_of(*pool) == std::vector<int>{1, 1, 1};
    pool.reset();
    _exit(all_ran ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runs_of(*pool), (std::vector<int>{1, 1, 1}));
}

}  // namespace
}  // namespace rwa
