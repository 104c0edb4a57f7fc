#include "training/prefetch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace rwa::training {
namespace {

// Fills a batch with its own number.
void fill_with_number(std::int64_t number, datasets::Batch& batch) {
  batch.x.assign(100, static_cast<float>(number));
}

// Returns the number of a batch; -1 if fill_with_number() did not make it.
std::int64_t number_of(const datasets::Batch& batch) {
  if (batch.x.size() != 100) return -1;
  for (const float x : batch.x) {
    if (x != batch.x[0]) return -1;
  }
  return static_cast<std::int64_t>(batch.x[0]);
}

void wait_until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct Case {
  int kept, ahead;
};
class PrefetchOf : public ::testing::TestWithParam<Case> {};

TEST_P(PrefetchOf, GivesAllBatchesInOrderAndKeepsTheLast) {
  const auto [kept, ahead] = GetParam();
  Prefetch batches(fill_with_number, {.first = 5, .end = 305, .kept = kept, .ahead = ahead});
  std::vector<const datasets::Batch*> given;
  for (std::int64_t number = 5; number < 305; ++number) {
    given.push_back(&batches.next());
    for (std::size_t i = 0; i < std::min<std::size_t>(given.size(), kept); ++i) {
      ASSERT_EQ(number_of(*given[given.size() - 1 - i]), number - static_cast<std::int64_t>(i));
    }
  }
}

TEST_P(PrefetchOf, ThrowsAtTheBatchThatFailedAndNotBefore) {
  const auto [kept, ahead] = GetParam();
  const auto fill = [](std::int64_t number, datasets::Batch& batch) {
    if (number == 3) throw std::runtime_error("number 3");
    fill_with_number(number, batch);
  };
  Prefetch batches(fill, {.end = 10, .kept = kept, .ahead = ahead});
  for (std::int64_t number = 0; number < 3; ++number) EXPECT_EQ(number_of(batches.next()), number);
  for (int again = 0; again < 2; ++again) {
    try {
      batches.next();
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "number 3");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, PrefetchOf,
                         ::testing::Values(Case{1, 0}, Case{2, 0}, Case{1, 1}, Case{2, 1},
                                           Case{2, 2}, Case{1, 3}));

TEST(Prefetch, MakesNoMoreThanItWasAskedFor) {
  std::atomic<int> made{0};
  const auto fill = [&](std::int64_t number, datasets::Batch& batch) {
    fill_with_number(number, batch);
    ++made;
  };
  Prefetch batches(fill, {.end = 6, .kept = 1, .ahead = 2});
  wait_until([&] { return made == 2; });
  batches.next();
  wait_until([&] { return made == 3; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, 3);
  for (int i = 1; i < 6; ++i) batches.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, 6);  // all batches
}

TEST(Prefetch, WithoutAThreadMakesThemWhenTheyAreAskedFor) {
  const auto here = std::this_thread::get_id();
  int made = 0;
  const auto fill = [&](std::int64_t number, datasets::Batch& batch) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    fill_with_number(number, batch);
    ++made;
  };
  Prefetch batches(fill, {.end = 6});
  EXPECT_EQ(made, 0);
  batches.next();
  EXPECT_EQ(made, 1);
}

TEST(Prefetch, CanBeGivenUpAtAnyTime) {
  // While it waits, in the middle of a batch, after an exception, and immediately.
  std::atomic<int> begun{0};
  auto waiting =
      std::make_unique<Prefetch>(fill_with_number, Prefetch::Extent{.end = 9, .ahead = 2});
  waiting->next();
  waiting.reset();
  const auto slowly = [&](std::int64_t number, datasets::Batch& batch) {
    ++begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    fill_with_number(number, batch);
  };
  auto busy = std::make_unique<Prefetch>(slowly, Prefetch::Extent{.end = 9, .ahead = 2});
  wait_until([&] { return begun > 0; });
  busy.reset();
  EXPECT_EQ(begun, 1);
  const auto never = [&](std::int64_t, datasets::Batch&) { throw std::runtime_error("never"); };
  for (int i = 0; i < 50; ++i) {
    const Prefetch failed(never, {.end = 9, .ahead = 2});
    const Prefetch unused(fill_with_number, {.end = 9, .ahead = 2});
    const Prefetch empty(fill_with_number, {.first = 9, .end = 9, .ahead = 2});
  }
}

}  // namespace
}  // namespace rwa::training
