// cli/bench_command.cc: `rwa bench`: this library, its peers and the limits of the machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/plan.h"
#include "bench/table.h"
#include "commands.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"

namespace rwa::cli {
namespace {

struct BenchOptions {
  bench::Plan plan;
  std::vector<std::string> cells = {"rwa", "lstm"};
  std::vector<std::string> networks = {"layer"};
  std::vector<std::string> modes = {"forward", "train", "stream"};
  std::vector<std::string> memories = {"full", "chunked"};
  bool no_peers = false;
  bool quick = false;
  std::filesystem::path json;  // empty: none is written
};

constexpr const char* kExample =
    "Examples:\n"
    "  rwa bench --quick                    a first look, in half a minute\n"
    "  rwa bench --json bench.json          everything, also for a program to read\n"
    "  rwa bench --cells rwa --mode train --steps 784 --ragged --no-peers\n"
    "  rwa bench --networks layer,upper,stack,bidirectional,embedding --mode train --no-peers\n"
    "  rwa bench --device cuda --units 128,256 --batch 16,100 --peers cudnn-lstm";

// Whole table with peers in half a minute; on a GPU peers need longer to start.
constexpr int kQuickSteps = 100;
constexpr int kQuickRounds = 1;
constexpr double kQuickSeconds = 0.4;
constexpr double kQuickPeerLimit = 6;
constexpr double kQuickPeerLimitGpu = 30;

template <class Parse>
auto parse_all(const std::vector<std::string>& names, Parse parse) {
  std::vector<decltype(parse(names.front()))> values;
  values.reserve(names.size());
  for (const std::string& name : names) values.push_back(parse(name));
  return values;
}

// One word for each list: "100,1000".
template <class T>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<T>& values,
                      const std::string& description) {
  return command.add_option(name, values, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
}

void add_sizes(CLI::App& command, bench::Plan& plan) {
  add_list(command, "--batch", plan.batches, "Sequences in a batch");
  add_list(command, "--units", plan.units, "Units of the layer");
  command.add_option("--inputs", plan.inputs, "Features of a step")->capture_default_str();
  add_list(command, "--steps", plan.steps, "Lengths of the sequences (on a GPU 784,1000)");
  command.add_option("--threads", plan.threads, "Threads (default: cores, at most 8)")
      ->capture_default_str();
  command.add_option("--seconds", plan.seconds, "Time for each row, over all rounds")
      ->capture_default_str();
  command.add_option("--rounds", plan.rounds, "Times that all rows are measured in turn")
      ->capture_default_str();
}

// What is said on the command line stands.
void apply_device(const CLI::App& command, const BenchOptions& options, bench::Plan& plan) {
  const bench::Plan usual = bench::default_plan(plan.device);
  if (command.count("--steps") == 0) plan.steps = usual.steps;
  if (command.count("--mode") == 0) plan.modes = usual.modes;
  if (command.count("--peers") == 0 && !options.no_peers) plan.peers = usual.peers;
}

void apply_quick(const CLI::App& command, bench::Plan& plan) {
  if (command.count("--steps") == 0) plan.steps = {kQuickSteps};
  if (command.count("--rounds") == 0) plan.rounds = kQuickRounds;
  if (command.count("--seconds") == 0) plan.seconds = kQuickSeconds;
  plan.peer_limit = plan.on_cpu() ? kQuickPeerLimit : kQuickPeerLimitGpu;
}

void parse_names(BenchOptions& options) {
  options.plan.cells = parse_all(options.cells, parse_cell);
  options.plan.networks = parse_all(options.networks, bench::parse_network);
  options.plan.modes = parse_all(options.modes, bench::parse_mode);
  options.plan.memories = parse_all(options.memories, parse_memory);
}

void add_names(CLI::App& command, BenchOptions& options) {
  add_list(command, "--cells", options.cells, "Our cells: " + cell_names());
  add_list(command, "--networks", options.networks,
           "Made of them: layer, upper (a layer on a layer), stack (of these two), bidirectional, "
           "embedding");
  add_list(command, "--mode", options.modes, "What is done: forward, train, stream (CPU only)");
  add_list(command, "--memory", options.memories, "What training keeps: full, chunked");
  auto* peers = command.add_option("--peers", options.plan.peers,
                                   "Others to measure, where installed (default: all): "
                                   "onednn-lstm, torch-lstm, torch-rwa, rwa.torch; on a GPU "
                                   "cudnn-lstm, torch-lstm, torch-rwa, rwa.torch, jax-rwa");
  peers->delimiter(',')->allow_extra_args(false);
  command.add_flag("--no-peers", options.no_peers, "Only ourselves")->excludes(peers);
}

void run_bench(const BenchOptions& options) {
  bench::check(options.plan);
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  if (!options.json.empty()) bench::require_writable(options.json);
  const auto report = bench::run(options.plan, [](const std::string& line) { say("{}\n", line); });
  fmt::print("{}", bench::to_text(options.plan, report));
  if (!options.json.empty()) bench::write_file(options.json, bench::to_json(report));
  if (report.failed > 0) {
    throw ResourceError(fmt::format("{} of our own measurements failed, see above", report.failed));
  }
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  auto* command = app.add_subcommand("bench", "Measure this machine: us, our peers, its limits");
  add_sizes(*command, options->plan);
  command->add_option("--device", options->plan.device, "Where: cpu, cuda, cuda:1, …")
      ->capture_default_str();
  add_names(*command, *options);
  command->add_flag("--ragged", options->plan.ragged, "Also with lengths evenly spread over 0…T");
  command->add_flag("--quick", options->quick, "100 steps, one short round: half a minute");
  command->add_option("--json", options->json, "File to write the rows to");
  command->footer(kExample);
  command->callback([options, command] {
    parse_names(*options);
    apply_device(*command, *options, options->plan);
    if (options->quick) apply_quick(*command, options->plan);
    run_bench(*options);
  });
}

}  // namespace rwa::cli
