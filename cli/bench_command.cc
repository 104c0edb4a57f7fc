// cli/bench_command.cc: `rwa bench`: measures rwa, its peers and the limits of the machine.
#include <algorithm>
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
#include "report/text.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "settings_options.h"

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
  std::filesystem::path json;  // empty: not written
};

constexpr const char* kExample =
    "Examples:\n"
    "  rwa bench --quick                    A first look in half a minute\n"
    "  rwa bench --json bench.json          Everything, also as JSON\n"
    "  rwa bench --cells rwa --mode train --steps 784 --ragged --no-peers\n"
    "  rwa bench --networks layer,upper,stack,bidirectional,embedding --mode train --no-peers\n"
    "  rwa bench --device cuda --units 128,256 --batch 16,100 --peers cudnn-lstm";

// The whole table with peers takes half a minute. Peers need longer to start on a GPU.
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

void add_sizes(const Command& command, bench::Plan& plan) {
  const auto add = [&](const char* name, auto& value, const auto& range, const char* description) {
    command.add_number(name, value, range, description).show_default();
  };
  constexpr io::Range<int> kSize{.least = 1, .most = bench::kMostSize};
  add("--batch", plan.batches, kSize, "Batch sizes");
  add("--units", plan.units, kSize, "Units per layer");
  add("--inputs", plan.inputs, kSize, "Features per step");
  add("--steps", plan.steps, kSize, "Sequence lengths (default on a GPU: 784,1000)");
  add("--threads", plan.threads, kThreads, "Threads");
  add("--seconds", plan.seconds,
      io::Range<double>{.least = 0, .most = bench::kMostSeconds, .without_least = true},
      "Seconds per measurement, over all rounds");
  add("--rounds", plan.rounds, io::Range<int>{.least = 1, .most = bench::kMostRounds},
      "Rounds; each measures everything once");
}

// Defaults of the device, for options that were not given.
void apply_device(const Command& command, const BenchOptions& options, bench::Plan& plan) {
  const bench::Plan usual = bench::default_plan(plan.device);
  if (!command.has("--steps")) plan.steps = usual.steps;
  if (!command.has("--mode")) plan.modes = usual.modes;
  if (!command.has("--peers") && !options.no_peers) plan.peers = usual.peers;
}

void apply_quick(const Command& command, bench::Plan& plan) {
  if (!command.has("--steps")) plan.steps = {kQuickSteps};
  if (!command.has("--rounds")) plan.rounds = kQuickRounds;
  if (!command.has("--seconds")) plan.seconds = kQuickSeconds;
  plan.peer_limit = plan.on_cpu() ? kQuickPeerLimit : kQuickPeerLimitGpu;
}

// Refuses options that no measurement of these modes and networks has.
void refuse_in_vain(const Command& command, const bench::Plan& plan) {
  using bench::Mode;
  using bench::Network;
  const auto measures = [&](Mode mode) { return std::ranges::count(plan.modes, mode) > 0; };
  const auto check = [&](bool has_effect, const char* option, const char* instead) {
    if (has_effect || !command.has(option)) return;
    throw ConfigError(
        fmt::format("{} has no effect on these {}, or leave it out", option, instead));
  };
  check(measures(Mode::kTrain), "--memory", "modes: use --mode train");
  const bool of_sequences = measures(Mode::kTrain) || measures(Mode::kForward);
  for (const char* option : {"--batch", "--steps", "--threads", "--ragged"}) {
    check(of_sequences, option, "modes: use --mode forward or train");
  }
  // Of streams only a single layer is measured.
  check(of_sequences || plan.networks == std::vector{Network::kLayer}, "--networks",
        "modes: use --mode forward or train");
  const bool has_inputs = std::ranges::any_of(plan.networks, [](Network network) {
    return network != Network::kUpper && network != Network::kEmbedding;
  });
  check(has_inputs || !plan.peers.empty(), "--inputs",
        "networks: use --networks layer, stack or bidirectional");
}

void parse_names(BenchOptions& options) {
  options.plan.cells = parse_all(options.cells, parse_cell);
  options.plan.networks = parse_all(options.networks, bench::parse_network);
  options.plan.modes = parse_all(options.modes, bench::parse_mode);
  options.plan.memories = parse_all(options.memories, parse_memory);
}

void add_names(const Command& command, BenchOptions& options) {
  const auto add = [&](const char* name, auto& values, const std::string& description) {
    command.add_list(name, values, description).show_default();
  };
  add("--cells", options.cells, "Cells: " + cell_names());
  add("--networks", options.networks,
      "Networks: layer, upper (a layer on top of another), stack (both), bidirectional, embedding");
  add("--mode", options.modes, "What to measure: forward, train, stream (CPU only)");
  add("--memory", options.memories, "What training keeps for the backward pass: full, chunked");
  const auto peers = command.add_list("--peers", options.plan.peers,
                                      "Peers, if installed (default: all). CPU: onednn-lstm, "
                                      "torch-lstm, torch-rwa, rwa.torch. GPU: "
                                      "cudnn-lstm, torch-lstm, torch-rwa, rwa.torch, jax-rwa");
  command.add_flag("--no-peers", options.no_peers, "Measure only rwa").excludes(peers);
}

void run_bench(const BenchOptions& options) {
  bench::check(options.plan);
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  if (!options.json.empty()) bench::require_writable(options.json);
  const auto report = bench::run(options.plan, [](const std::string& line) { say("{}\n", line); });
  fmt::print("{}", bench::to_text(options.plan, report));
  if (!options.json.empty()) bench::write_file(options.json, bench::to_json(report));
  say_written(options.json);
  if (report.failed > 0) {
    throw ResourceError(
        fmt::format("{} of rwa failed, see above", report::counted(report.failed, "measurement")));
  }
}

}  // namespace

void add_bench_command(const Command& app) {
  auto options = std::make_shared<BenchOptions>();
  const auto command = app.add_command(
      "bench", "Measure the speed of rwa, other libraries (peers) and this machine");
  add_sizes(command, options->plan);
  command.add_option("--device", options->plan.device, "Device: cpu, cuda or cuda:N")
      .show_default();
  add_names(command, *options);
  command.add_flag("--ragged", options->plan.ragged,
                   "Also measure batches with lengths spread evenly from 0 to --steps");
  command.add_flag("--quick", options->quick,
                   "Measure 100 steps in one short round (half a minute)");
  command.add_option("--json", options->json, "Also write the rows to this file");
  command.set_footer(kExample);
  command.set_action([options, command] {
    parse_names(*options);
    apply_device(command, *options, options->plan);
    if (options->quick) apply_quick(command, options->plan);
    refuse_in_vain(command, options->plan);
    run_bench(*options);
  });
}

}  // namespace rwa::cli
