// cli/stream_command.cc: `rwa stream`: predicts line by line as data arrives.
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "model_options.h"
#include "outputs.h"
#include "rwa/version.h"
#include "say.h"
#include "workflows/stream.h"
#include "workflows/stream_keeper.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  sensor | rwa stream runs/sensor                    One step per line: 0.5,1.25\n"
    "  sensors | rwa stream runs/sensor --id              Several sequences: b7,0.5,1.25\n"
    "  sensor | rwa stream runs/sensor --state now.safetensors\n"
    "\n"
    "For each line of standard input, writes a row in the format of rwa predict before it reads "
    "the\n"
    "next line.\n"
    "  numbers  in the order of the model's features, or of a header line with their names\n"
    "  text     each symbol is a step; the prediction is the one after the last\n"
    "  --json   {\"x\":[0.5,1.25]} or {\"text\":\"GATTACA\"}, with or without \"id\"\n"
    "An empty line ends the sequence; with --id, a line with only the id does.\n"
    "\n"
    "--state resumes from the file if it exists, and saves to it within a second of an answer (or\n"
    "ten times as long as saving takes), at the end of the input, after a malformed line and on\n"
    "Ctrl-C. The next run says after which line it goes on. Each run needs a file of its own.";

struct StreamCommand {
  std::filesystem::path model, state;
  workflows::StreamOptions options;
};

// A malformed line changes nothing: the state is that after the line before.
void end_before(const InputError& error, workflows::StreamKeeper& keeper) try {
  keeper.end();
} catch (const ResourceError& refusal) {
  throw ResourceError(fmt::format("{}; {}", error.what(), refusal.what()));
}

// After any error but a malformed line, what was saved last stays, and says which line it is after: an
// answer that could not be written is not kept as given.
bool serve(workflows::Streams& streams, const std::atomic<bool>& stop,
           workflows::StreamKeeper* keeper) try {
  const bool ended = workflows::serve(streams, STDIN_FILENO, STDOUT_FILENO, stop, keeper);
  if (keeper != nullptr) keeper->end();
  return ended;
} catch (const InputError& error) {
  if (keeper != nullptr) end_before(error, *keeper);
  throw;
}

void stream(const StreamCommand& command) {
  refuse_input("--state", command.state, command.model, {});
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const auto& stop = watch_for_interrupts();
  const workflows::Trained trained = workflows::load_trained(command.model);
  workflows::Streams streams(trained, command.options);
  std::optional<workflows::StreamKeeper> keeper;
  if (!command.state.empty()) keeper.emplace(streams, command.state);
  if (keeper && !keeper->note().empty()) say("{}\n", keeper->note());
  if (serve(streams, stop, keeper ? &*keeper : nullptr)) return;
  throw Interrupted(keeper ? fmt::format("{}; run the same command to resume from {}",
                                         cause_of_interrupt(), command.state.string())
                           : std::string(cause_of_interrupt()));
}

}  // namespace

void add_stream_command(const Command& app) {
  auto options = std::make_shared<StreamCommand>();
  const auto command = app.add_command("stream", "Predict line by line as data arrives");
  add_model(command, options->model);
  const auto id =
      command.add_flag("--id", options->options.id, "Each line begins with the id of its sequence");
  command
      .add_flag("--json", options->options.json,
                "Read and write JSON, one object per line, with or without an id")
      .excludes(id);
  command.add_option("--state", options->state,
                     "Load and save the state of unfinished sequences in this file");
  command.set_footer(kExample);
  command.set_action([options] { stream(*options); });
}

}  // namespace rwa::cli
