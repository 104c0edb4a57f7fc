// tests/datasets/store_ranks_test.cc: ranks on one machine store data that does not fit into memory
// once. The folder of the readers does not exist: they must not write.
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "datasets/store.h"
#include "datasets/store_file.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "store_testing.h"
#include "support/thread_ranks.h"

namespace rwa::datasets {
namespace {
namespace fs = std::filesystem;
using cases::run_ranks;
using io::expect_error;

constexpr int kRanks = 3;
constexpr std::size_t kSmall = std::size_t{1} << 19;  // memory limit, below the size of the data

class SharedStore : public ::testing::Test {
 protected:
  fs::path folder_of(const Keeper& keeper) const {
    return keeper.is_here() ? folder_.path() : fs::path("/nowhere");
  }

  io::TempFolder folder_;
};

void append(std::int64_t first, std::int64_t count, Store& store) {
  for (std::int64_t i = 0; i < count; ++i) store.append(made_sequence(first + i, 300));
}

bool has(std::int64_t first, std::int64_t count, const Store& store) {
  formats::Sequence found;
  for (std::int64_t i = 0; i < count; ++i) {
    store.read(i, found);
    if (!same(found, made_sequence(first + i, 300))) return false;
  }
  return store.size() == count;
}

TEST_F(SharedStore, HasTheSameOnEveryRank) {
  run_ranks(kRanks, [&](Link& link) {
    const Keeper keeper(&link);
    EXPECT_EQ(keeper.rank(), 0);
    Store store(folder_of(keeper), kSmall, keeper);
    append(0, 1500, store);
    store.close();
    EXPECT_FALSE(store.in_memory());
    EXPECT_GT(store.blocks(), 4);
    EXPECT_TRUE(has(0, 1500, store)) << "rank " << link.rank();
  });
}

// Sequences go to several stores in turn, as with the folds of a data set. One store is small, one
// empty.
TEST_F(SharedStore, MayBeOneOfSeveral) {
  run_ranks(kRanks, [&](Link& link) {
    const Keeper keeper(&link);
    Store first(folder_of(keeper), kSmall, keeper), second(folder_of(keeper), kSmall, keeper);
    Store little(folder_of(keeper), kSmall, keeper), none(folder_of(keeper), 0, keeper);
    for (std::int64_t i = 0; i < 700; ++i) {
      append(i, 1, first);
      append(1000 + i, 1, second);
    }
    append(2000, 10, little);
    for (Store* store : {&first, &little, &none, &second}) store->close();
    EXPECT_FALSE(first.in_memory());
    EXPECT_FALSE(second.in_memory());
    EXPECT_TRUE(little.in_memory());
    EXPECT_TRUE(has(0, 700, first) && has(1000, 700, second) && has(2000, 10, little));
    EXPECT_EQ(none.size(), 0);
  });
}

// A rank may release its data while another still reads it.
TEST_F(SharedStore, OutlivesThatOfItsKeeper) {
  run_ranks(kRanks, [&](Link& link) {
    const Keeper keeper(&link);
    std::optional<Store> store(std::in_place, folder_of(keeper), kSmall, keeper);
    append(0, 700, *store);
    store->close();
    if (keeper.is_here()) store.reset();
    Ranks(&link).meet();
    EXPECT_TRUE(!store || has(0, 700, *store));
  });
}

TEST_F(SharedStore, IsWrittenOnceOnEachMachine) {
  const std::vector<std::string> machines = {"a", "b", "", "b", "a", "", "b"};
  const std::vector<int> keepers = {0, 1, 2, 1, 0, 5, 1};
  run_ranks(static_cast<int>(machines.size()), [&](Link& link) {
    const auto rank = static_cast<std::size_t>(link.rank());
    const Keeper keeper(&link, machines[rank]);
    EXPECT_EQ(keeper.rank(), keepers[rank]);
    Store store(folder_of(keeper), kSmall, keeper);
    append(0, 500, store);
    store.close();
    EXPECT_FALSE(store.in_memory());
    EXPECT_TRUE(has(0, 500, store)) << "rank " << rank;
  });
}

TEST_F(SharedStore, IsRefusedWhereTheKeeperHasAnother) {
  const auto work = [&](Link& link) {
    const Keeper keeper(&link);
    Store store(folder_of(keeper), kSmall, keeper);
    append(0, 500 + link.rank(), store);
    store.close();
  };
  expect_error<ResourceError>([&] { run_ranks(2, work); },
                              {"/proc/", "found ", "stored by rank 0, expected "});
}

// The process runs out of file descriptors.
TEST_F(SharedStore, SaysWhoseFileItCannotOpen) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto work = [&](Link& link) {
    const Keeper keeper(&link);
    Store store(folder_of(keeper), kSmall, keeper);
    append(0, 500, store);
    const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
    if (keeper.is_here()) ::setrlimit(RLIMIT_NOFILE, &none);
    store.close();
  };
  expect_error<ResourceError>([&] { run_ranks(2, work); },
                              {"/proc/", "cannot open", "stored by rank 0", "Too many open files"});
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// The link of one of two processes.
class SocketLink final : public Link {
 public:
  SocketLink(int rank, int socket) : rank_(rank), socket_(socket) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return 2; }
  void exchange(int /*peer*/, std::span<const std::byte> out, std::span<std::byte> in) override {
    const ssize_t sent = out.empty() ? 0 : ::send(socket_, out.data(), out.size(), MSG_NOSIGNAL);
    const ssize_t found = in.empty() ? 0 : ::recv(socket_, in.data(), in.size(), MSG_WAITALL);
    if (sent != std::ssize(out) || found != std::ssize(in)) throw ResourceError("a lost process");
  }

 private:
  int rank_, socket_;
};

TEST_F(SharedStore, IsThatOfAnotherProcess) {
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  const int rank = child == 0 ? 1 : 0;
  ::close(sockets[1 - rank]);
  bool right = false;
  try {
    SocketLink link(rank, sockets[rank]);
    const Keeper keeper(&link);
    Store store(folder_of(keeper), kSmall, keeper);
    append(0, 500, store);
    store.close();
    right = keeper.rank() == 0 && !store.in_memory() && has(0, 500, store);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  if (child == 0) std::_Exit(right ? 0 : 1);
  ::close(sockets[rank]);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(right);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace rwa::datasets
