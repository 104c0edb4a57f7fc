// cli/main.cc: the program `rwa`: runs the command, and turns exceptions into a message and an exit
// code.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/job.h"
#include "comm/ranks.h"
#include "commands.h"
#include "interrupt.h"
#include "parser.h"
#include "ranks.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "training/run_queue.h"
#include "workflows/output.h"

namespace {

enum ExitCode {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,
  kBadData = 3,
  kBadModelFile = 4,
  kDiverged = 5,
  kInterrupted = 6,
  kResources = 7,
  kOutputClosed = 128 + SIGPIPE,
};

constexpr const char* kFooter =
    "Examples:\n"
    "  rwa inspect data.csv                Show how a file is read\n"
    "  rwa train data.csv --out runs/one   Train a model\n"
    "  rwa evaluate runs/one test.csv      Score it on other data\n"
    "  rwa predict runs/one new.csv        Predict with it\n"
    "  rwa explain runs/one new.csv        Show which time steps matter\n"
    "  rwa paper run --quick               Run three of the paper's experiments in a few minutes\n"
    "  rwa bench --quick                   Measure the speed of this machine in half a minute\n"
    "\n"
    "Run 'rwa help COMMAND' for the options of a command.";

int fail(ExitCode code, const std::string& message) {
  rwa::cli::say("rwa: {}\n", message);
  return code;
}

std::string version() { return fmt::format("rwa {} ({})", rwa::version(), rwa::instruction_set()); }

int run(int argc, char** argv) {
  const rwa::cli::Parser parser("rwa",
                                "Train, evaluate and explain recurrent networks on sequence data");
  parser.set_version(version);
  const rwa::cli::Command app = parser.program();
  app.set_footer(kFooter);
  rwa::cli::add_inspect_command(app);
  rwa::cli::add_train_command(app);
  rwa::cli::add_evaluate_command(app);
  rwa::cli::add_predict_command(app);
  rwa::cli::add_explain_command(app);
  rwa::cli::add_stream_command(app);
  rwa::cli::add_generate_command(app);
  rwa::cli::add_tune_command(app);
  rwa::cli::add_report_command(app);
  rwa::cli::add_export_command(app);
  rwa::cli::add_import_command(app);
  rwa::cli::add_verify_command(app);
  rwa::cli::add_paper_command(app);
  rwa::cli::add_bench_command(app);
  parser.add_help_command();
  const int code = parser.run(argc, argv) ? kDone : kUsage;
  // A full disk may only show when the buffers are flushed.
  std::cout.flush();
  if (std::fflush(stdout) != 0 || !std::cout) {
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  }
  return code;
}

// Only these commands share their work among ranks; any other runs in each process on its own.
bool knows_ranks(std::span<char*> arguments) {
  const auto is = [&](std::size_t place, std::string_view word) {
    return place < arguments.size() && arguments[place] == word;
  };
  return is(1, "train") || is(1, "tune") || (is(1, "paper") && is(2, "run"));
}

// Throws ConfigError if the ranks were started with different arguments.
void check_same_command(std::span<char*> arguments) {
  if (rwa::cli::all_ranks() == nullptr) return;
  rwa::Ranks ranks(rwa::cli::all_ranks());
  const auto all = ranks.gather(fmt::format("{}", fmt::join(arguments.subspan(1), " ")));
  const auto other = std::ranges::find_if(all, [&](const auto& text) { return text != all[0]; });
  if (other == all.end()) return;
  throw rwa::ConfigError(
      fmt::format("rank {} was started as 'rwa {}', rank 0 as 'rwa {}', expected the same; set "
                  "RWA_RANKS=1 to run each rank on its own",
                  other - all.begin(), *other, all[0]));
}

struct Failure {
  ExitCode code;
  std::string message;
  bool is_known_to_all = false;  // every rank has met the same failure
};

Failure describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const rwa::cli::Interrupted& error) {
    return {kInterrupted, error.what(), true};
  } catch (const rwa::training::Interrupted& error) {
    return {kInterrupted,
            fmt::format("{} {}; run the same command to resume", rwa::cli::cause_of_interrupt(),
                        error.what()),
            true};
  } catch (const rwa::cli::UsageError& error) {
    return {kUsage, error.what(), true};
  } catch (const rwa::ConfigError& error) {
    return {kUsage, error.what()};
  } catch (const rwa::InputError& error) {
    return {kBadData, error.what()};
  } catch (const rwa::ModelFileError& error) {
    return {kBadModelFile, error.what()};
  } catch (const rwa::DivergenceError& error) {
    return {kDiverged, error.what(), true};
  } catch (const rwa::workflows::OutputClosed& error) {
    return {kOutputClosed, error.what()};
  } catch (const rwa::ResourceError& error) {
    return {kResources, error.what()};
  } catch (const std::bad_alloc&) {
    return {kResources, "not enough memory"};
  } catch (const std::system_error& error) {
    return {error.code() == std::errc::broken_pipe ? kOutputClosed : kResources, error.what()};
  } catch (const std::exception& error) {
    return {kInternal, fmt::format("internal error: {}", error.what())};
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<rwa::Job> job;
  try {
    if (knows_ranks({argv, static_cast<std::size_t>(argc)}))
      job = rwa::Job::join(
          {.speaker = "rwa: ", .lost_status = kResources, .abandoned = rwa::cli::interrupt});
    rwa::cli::set_job(job.get());
    check_same_command({argv, static_cast<std::size_t>(argc)});
    return run(argc, argv);
  } catch (...) {
    const Failure failure = describe(std::current_exception());
    // Other ranks may be waiting for this one: end them too.
    if (job != nullptr && !failure.is_known_to_all) {
      const int rank = job->link().rank();
      const std::string where = rank == 0 ? "" : fmt::format(" (on rank {})", rank);
      job->fail("rwa: " + failure.message + where, failure.code);
    }
    // Like programs that SIGPIPE ends: `rwa predict ... | head` is no error.
    return failure.code == kOutputClosed ? kOutputClosed : fail(failure.code, failure.message);
  }
}
