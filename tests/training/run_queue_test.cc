#include "training/run_queue.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/errors.h"
#include "training/run_testing.h"

namespace rwa::training {
namespace {

// Records the events.
class Told final : public QueueObserver {
 public:
  void start(const RunQueue& queue) override { queue_ = &queue; }
  void begin(std::size_t index, int ranks) override {
    const std::lock_guard lock(mutex_);
    begun.push_back(queue_->runs()[index].title);
    EXPECT_EQ(ranks, 1);
  }
  void progress(std::size_t, const Progress&) override { ++progresses; }
  void end(std::size_t index, const RunResult& result) override {
    const std::lock_guard lock(mutex_);
    ended.push_back(queue_->runs()[index].title);
    results.push_back(result);
  }

  std::vector<std::string> begun, ended;
  std::vector<RunResult> results;
  std::atomic<int> progresses = 0;

 private:
  const RunQueue* queue_ = nullptr;
  std::mutex mutex_;
};

QueuedRun queued(std::string title, std::int64_t steps, double learning_rate = 1e-3) {
  Experiment experiment = small_adding();
  experiment.training.steps = steps;
  experiment.training.learning_rate = learning_rate;
  return {.experiment = experiment,
          .store = std::make_shared<MemoryStore>(),
          .title = std::move(title)};
}

using Titles = std::vector<std::string>;

TEST(RunQueue, DoesOneAfterTheOtherInTheirOrder) {
  RunQueue queue({queued("a", 2), queued("b", 9), queued("c", 4)}, {});
  Told told;
  EXPECT_TRUE(queue.is_serial());
  EXPECT_TRUE(queue.run(told).empty());
  EXPECT_EQ(told.begun, (Titles{"a", "b", "c"}));
  EXPECT_EQ(told.ended, told.begun);
  EXPECT_GT(told.progresses, 15);
  for (const QueuedRun& run : queue.runs()) {
    EXPECT_EQ(run.store->record().status, Status::kFinished);
    EXPECT_EQ(run.store->record().steps, run.experiment.training.steps);
  }
}

TEST(RunQueue, BeginsWithTheLongestWhereSeveralRunAtATime) {
  RunQueue queue({queued("a", 2), queued("b", 9), queued("c", 4)}, {.at_a_time = 2});
  EXPECT_FALSE(queue.is_serial());
  EXPECT_EQ(queue.runs().front().title, "b");
  EXPECT_EQ(queue.runs().back().title, "a");
  Told told;
  queue.run(told);
  EXPECT_EQ(told.ended.size(), 3U);
}

TEST(RunQueue, HasTheBitsOfRunsAlone) {
  RunQueue several({queued("a", 9), queued("b", 9)}, {.at_a_time = 2});
  RunQueue alone({queued("a", 9)}, {});
  Told told;
  several.run(told);
  alone.run(told);
  const Model expected = alone.runs()[0].store->model();
  for (const QueuedRun& run : several.runs()) {
    EXPECT_TRUE(std::ranges::equal(run.store->model().weights(), expected.weights()));
  }
}

TEST(RunQueue, ARunThatDivergesDoesNotStopTheOthers) {
  RunQueue queue({queued("good", 5), queued("bad", 40, 1e15), queued("last", 5)}, {});
  Told told;
  const auto diverged = queue.run(told);
  ASSERT_EQ(diverged.size(), 1U);
  EXPECT_EQ(diverged[0].title, "bad");
  EXPECT_EQ(diverged[0].message, told.results[1].divergence);
  EXPECT_EQ(told.ended, (Titles{"good", "bad", "last"}));
  EXPECT_FALSE(told.results[1].divergence.empty());
}

TEST(RunQueue, AnErrorStopsTheOthersAndIsThrown) {
  QueuedRun wrong = queued("wrong", 5);
  wrong.experiment.network.units = -1;
  RunQueue queue({wrong, queued("after", 5)}, {});
  Told told;
  io::expect_error<ConfigError>([&] { queue.run(told); }, {"units"});
  EXPECT_EQ(told.begun, (Titles{"wrong"}));
}

TEST(RunQueue, InterruptedRunsGoOnWhereTheyWere) {
  std::vector<QueuedRun> runs = {queued("a", 40), queued("b", 5)};
  Told told;
  const QueueOptions stopping{.each = {.stop = [&] { return told.progresses > 10; }}};
  io::expect_error<Interrupted>([&] { RunQueue(runs, stopping).run(told); },
                                {"after step ", " of 40, in the training"});
  EXPECT_EQ(told.begun, (Titles{"a"}));
  EXPECT_EQ(runs[0].store->record().status, Status::kInterrupted);
  RunQueue(runs, {}).run(told);
  RunQueue whole({queued("a", 40)}, {});
  whole.run(told);
  EXPECT_TRUE(std::ranges::equal(runs[0].store->model().weights(),
                                 whole.runs()[0].store->model().weights()));
  EXPECT_EQ(runs[0].store->record().metrics, whole.runs()[0].store->record().metrics);
}

TEST(RunQueue, WhatIsFinishedIsNotDoneAgain) {
  const std::vector<QueuedRun> runs = {queued("a", 5)};
  Told told;
  RunQueue(runs, {}).run(told);
  RunQueue(runs, {}).run(told);
  EXPECT_EQ(told.results[0].outcome, Outcome::kFinished);
  EXPECT_EQ(told.results[1].outcome, Outcome::kAlreadyFinished);
}

TEST(Jobs, AreSharedByTheRuns) {
  EXPECT_EQ(jobs_of_rank(5, 2, nullptr), 2);
  EXPECT_EQ(jobs_of_rank(1, 2, nullptr), 1);
  EXPECT_EQ(runs_at_a_time(5, 2, nullptr), 2);
}

}  // namespace
}  // namespace rwa::training
