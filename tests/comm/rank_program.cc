// tests/comm/rank_program.cc: the program that mpi_test.py starts as several ranks. Rank 0 prints
// "N ranks WHAT" on success.
//   rank_program train            the same bits as one process
//   rank_program tickets FOLDER   all tickets are different, even while rank 0 computes
//   rank_program groups           the last rank sleeps, which the first half does not need
//   rank_program suspend RANK     all print their process ids; one computes for long
//   rank_program WHAT RANK|all    a rank throws, is killed, stops, sleeps, or computes for long
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "api/networks.h"
#include "api/rank_batches.h"
#include "comm/group.h"
#include "comm/job.h"
#include "comm/ranks.h"
#include "rwa/rwa.h"

namespace rwa {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 1s;

// The weights after a few steps, with the losses before each.
std::vector<float> train(const ModelConfig& config, Link* link) {
  Model model(config);
  Trainer trainer(model, {.learning_rate = 0.01, .clip_norm = 0.5, .link = link});
  std::vector<float> losses;
  for (unsigned step = 0; step < 4; ++step) {
    const cases::Data whole = cases::network_data(config, 21, step == 3 ? 2 : 37, step);
    const cases::Data data = link == nullptr ? whole : cases::part_of(whole, *link);
    losses.push_back(static_cast<float>(trainer.step(data.view(), data.targets()).loss));
  }
  std::vector<float> all = cases::copy(model.weights());
  all.insert(all.end(), losses.begin(), losses.end());
  return all;
}

void expect_same_bits(Link* link) {
  // Large enough for its gradient to be summed by halves.
  ModelConfig large = cases::uneven(Cell::kRwa, Readout::kEvery);
  large.units = 100;
  std::vector<ModelConfig> configs = cases::all_networks();
  configs.push_back(large);
  for (const ModelConfig& config : configs) {
    if (cases::same_bits(train(config, link), train(config, nullptr))) continue;
    throw std::runtime_error(cases::name(config) + " has other bits than one process");
  }
}

void compute_until(const std::function<bool()>& is_enough) {
  while (!is_enough()) continue;
}

void compute_for(std::chrono::steady_clock::duration time) {
  const auto end = std::chrono::steady_clock::now() + time;
  compute_until([&] { return std::chrono::steady_clock::now() >= end; });
}

// mpi_test.py starts all ranks on one machine.
void expect_one_machine(const Job& job, const Ranks& ranks) {
  if (job.local_rank() == ranks.rank() && job.local_size() == ranks.size()) return;
  throw std::runtime_error(
      fmt::format("rank {} of {} is rank {} of {} on its machine, expected the same", ranks.rank(),
                  ranks.size(), job.local_rank(), job.local_size()));
}

// Draws from two threads at once; returns the tickets separated by blanks.
std::string draw_tickets(Job& job) {
  std::string parts[2];
  {
    std::jthread another([&] {
      for (int i = 0; i < 5; ++i) parts[1] += fmt::format(" {}", job.ticket());
    });
    for (int i = 0; i < 5; ++i) parts[0] += fmt::format(" {}", job.ticket());
  }
  return parts[0] + parts[1];
}

// Rank 0 computes until the others have theirs, which each reports by a file in the folder.
void expect_tickets(Job& job, Ranks& ranks, const std::filesystem::path& folder) {
  const auto file_of = [&](int rank) { return folder / std::to_string(rank); };
  std::string tickets;
  if (ranks.rank() == 0) {
    for (int rank = 1; rank < ranks.size(); ++rank) {
      compute_until([&] { return std::filesystem::exists(file_of(rank)); });
    }
    tickets = draw_tickets(job);
  } else {
    tickets = draw_tickets(job);
    std::ofstream(file_of(ranks.rank())) << "done";
  }
  std::multiset<int> drawn, expected;
  std::istringstream all(fmt::format("{}", fmt::join(ranks.gather(tickets), " ")));
  for (int ticket = 0; all >> ticket;) drawn.insert(ticket);
  for (int ticket = 0; ticket < 10 * ranks.size(); ++ticket) expected.insert(ticket);
  if (drawn != expected) throw std::runtime_error("tickets: " + all.str());
}

// Half of the ranks compute. The others must still give up on the last one.
void lose_one_of_a_group(Link& link) {
  RankGroup group(link, 2);
  if (group.number() == 0) compute_for(10min);
  if (link.rank() == link.size() - 1) std::this_thread::sleep_for(10min);
  Ranks(&group).meet();
}

void say_who_this_is() {
  fmt::print("{}\n", getpid());
  (void)std::fflush(stdout);
}

void misbehave(const std::string& what) {
  if (what == "throw") throw InputError("bad data");
  if (what == "kill") (void)std::raise(SIGKILL);
  if (what == "stop") (void)std::raise(SIGSTOP);
  // mpirun resumes a stopped rank before it ends it.
  if (what == "stop" || what == "sleep") std::this_thread::sleep_for(10min);
  if (what == "compute" || what == "suspend") compute_for(3 * kPatience);
}

void run(Job* job, const std::string& what, const std::string& who) {
  Link* link = job == nullptr ? nullptr : &job->link();
  Ranks ranks(link);
  ranks.meet();
  if (job != nullptr) expect_one_machine(*job, ranks);
  if (what == "train") expect_same_bits(link);
  if (what == "tickets") expect_tickets(*job, ranks, who);
  if (what == "groups") lose_one_of_a_group(*link);
  if (what == "suspend") say_who_this_is();
  if (who == "all" || who == std::to_string(ranks.rank())) misbehave(what);
  ranks.meet();
  if (ranks.rank() == 0) fmt::print("{} ranks {}\n", ranks.size(), what);
}

}  // namespace
}  // namespace rwa

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string who = argc > 2 ? argv[2] : "";
  std::unique_ptr<rwa::Job> job;
  try {
    job = rwa::Job::join({.patience = rwa::kPatience, .speaker = "error: ", .lost_status = 4});
    rwa::run(job.get(), what, who);
  } catch (const std::exception& error) {
    const std::string message = fmt::format("error: {}", error.what());
    if (job != nullptr) job->fail(message, 4);
    fmt::print(stderr, "{}\n", message);
    return 4;
  }
  return 0;
}
