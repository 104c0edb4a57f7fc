// cli/main.cc: the program `rwa`: finds the command, and turns what it throws into a line and an
// exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
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
#include "ranks.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "training/run_queue.h"

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
};

constexpr const char* kFooter =
    "Examples:\n"
    "  rwa inspect data.csv                what a file is taken for\n"
    "  rwa train data.csv --out runs/one   a model of it\n"
    "  rwa predict runs/one more.csv       what it says about more\n"
    "  rwa explain runs/one more.csv       and which steps mattered\n"
    "  rwa paper run --quick               three of the paper's experiments, in a few minutes\n"
    "  rwa bench --quick                   how fast this machine is, in half a minute\n"
    "\n"
    "'rwa COMMAND --help' says more about a command.";

int fail(ExitCode code, const std::string& message) {
  rwa::cli::say("rwa: {}\n", message);
  return code;
}

std::string version() { return fmt::format("rwa {} ({})", rwa::version(), rwa::instruction_set()); }

// The last command that was understood: of "rwa paper run --nonsense", that is `run`.
CLI::App& innermost(CLI::App& app) {
  CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> names_of_commands(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// The words of CLI11 do not tell a command from an option.
int refuse(CLI::App& app, const CLI::ParseError& error) {
  CLI::App& command = innermost(app);
  const std::string help = full_name(command) + " --help";
  const auto unknown = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || unknown.empty()) {
    return fail(kUsage, fmt::format("{}; see {}", error.what(), help));
  }
  const auto commands = names_of_commands(command);
  if (unknown[0].starts_with('-') || commands.empty()) {
    const char* kind = unknown[0].starts_with('-') ? "option" : "argument";
    return fail(kUsage, fmt::format("unknown {} '{}'; see {}", kind, unknown[0], help));
  }
  return fail(kUsage, fmt::format("unknown command '{}', expected one of: {}; see {}", unknown[0],
                                  fmt::join(commands, ", "), help));
}

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse(app, error);
    app.exit(error);  // prints the help or the version that was asked for
    return kDone;
  }
  if (!names_of_commands(innermost(app)).empty()) {
    rwa::cli::say("{}", app.help());  // of the innermost
    return kUsage;
  }
  return kDone;
}

int run(int argc, char** argv) {
  CLI::App app{"Recurrent weighted averages: exact, deterministic and fast", "rwa"};
  app.set_version_flag("--version", version, "Version, and the instruction set in use");
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  rwa::cli::add_train_command(app);
  rwa::cli::add_evaluate_command(app);
  rwa::cli::add_predict_command(app);
  rwa::cli::add_stream_command(app);
  rwa::cli::add_generate_command(app);
  rwa::cli::add_explain_command(app);
  rwa::cli::add_tune_command(app);
  rwa::cli::add_export_command(app);
  rwa::cli::add_import_command(app);
  rwa::cli::add_inspect_command(app);
  rwa::cli::add_verify_command(app);
  rwa::cli::add_paper_command(app);
  rwa::cli::add_bench_command(app);
  const int code = parse_and_run(app, argc, argv);
  // A full disk shows here at the latest.
  std::cout.flush();
  if (std::fflush(stdout) != 0 || !std::cout) {
    throw rwa::ResourceError("cannot write to standard output");
  }
  return code;
}

// Other commands are done by each process for itself, whoever has started it.
bool knows_ranks(std::span<char*> arguments) {
  const auto is = [&](std::size_t place, std::string_view word) {
    return place < arguments.size() && arguments[place] == word;
  };
  return is(1, "train") || is(1, "tune") || (is(1, "paper") && is(2, "run"));
}

// Ranks with other arguments are not meant to work together.
void check_same_command(std::span<char*> arguments) {
  if (rwa::cli::all_ranks() == nullptr) return;
  rwa::Ranks ranks(rwa::cli::all_ranks());
  const auto all = ranks.gather(fmt::format("{}", fmt::join(arguments.subspan(1), " ")));
  const auto other = std::ranges::find_if(all, [&](const auto& text) { return text != all[0]; });
  if (other == all.end()) return;
  throw rwa::ConfigError(
      fmt::format("rank {} was started as 'rwa {}', rank 0 as 'rwa {}', expected the same; with "
                  "RWA_RANKS=1 in the environment each works for itself",
                  other - all.begin(), *other, all[0]));
}

struct Failure {
  ExitCode code;
  std::string message;
  bool is_known_to_all = false;  // of several ranks each has met it
};

Failure describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const rwa::cli::Interrupted& error) {
    return {kInterrupted, error.what(), true};
  } catch (const rwa::training::Interrupted& error) {
    return {kInterrupted,
            fmt::format("{} {}; the same command goes on from there",
                        rwa::cli::cause_of_interrupt(), error.what()),
            true};
  } catch (const rwa::ConfigError& error) {
    return {kUsage, error.what()};
  } catch (const rwa::InputError& error) {
    return {kBadData, error.what()};
  } catch (const rwa::ModelFileError& error) {
    return {kBadModelFile, error.what()};
  } catch (const rwa::DivergenceError& error) {
    return {kDiverged, error.what(), true};
  } catch (const rwa::ResourceError& error) {
    return {kResources, error.what()};
  } catch (const std::bad_alloc&) {
    return {kResources, "not enough memory"};
  } catch (const std::system_error& error) {
    return {kResources, error.what()};
  } catch (const std::exception& error) {
    return {kInternal, fmt::format("internal error: {}", error.what())};
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<rwa::Job> job;
  try {
    if (knows_ranks({argv, static_cast<std::size_t>(argc)}))
      job = rwa::Job::join({.speaker = "rwa: ", .lost_status = kResources});
    rwa::cli::set_job(job.get());
    check_same_command({argv, static_cast<std::size_t>(argc)});
    return run(argc, argv);
  } catch (...) {
    const Failure failure = describe(std::current_exception());
    // Others may be waiting for this rank, and would wait in vain.
    if (job != nullptr && !failure.is_known_to_all) {
      const int rank = job->link().rank();
      const std::string where = rank == 0 ? "" : fmt::format(" (on rank {})", rank);
      job->fail("rwa: " + failure.message + where, failure.code);
    }
    return fail(failure.code, failure.message);
  }
}
