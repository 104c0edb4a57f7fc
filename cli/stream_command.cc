// cli/stream_command.cc: `rwa stream`: predictions line by line, as sequences arrive.
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "rwa/version.h"
#include "workflows/stream.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  sensor | rwa stream runs/sensor                    a line per step: 0.5,1.25\n"
    "  sensors | rwa stream runs/sensor --id              of several: b7,0.5,1.25\n"
    "  sensor | rwa stream runs/sensor --state now.safetensors\n"
    "\n"
    "Each line is answered, with a row as rwa predict writes it, before the next is read. Numbers\n"
    "stand in the order of the model's features; a first line with their names is a header, which\n"
    "says another order and is answered with one. Of text, each letter is a step, and the answer "
    "is\n"
    "that after the last. An empty line ends the sequence; with --id, an id alone does. With "
    "--json,\n"
    "lines are {\"x\":[0.5,1.25]} or {\"text\":\"GATTACA\"}, with or without \"id\".\n"
    "--state goes on where the file was left; it is saved at the end of the input, after a line "
    "that\n"
    "is not right, and on Ctrl-C.";

struct StreamCommand {
  std::filesystem::path model, state;
  workflows::StreamOptions options;
};

void stream(const StreamCommand& command) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const auto& stop = watch_for_interrupts();
  const workflows::Trained trained = workflows::load_trained(command.model);
  workflows::Streams streams(trained, command.options);
  const bool keeps = !command.state.empty();
  if (keeps && std::filesystem::exists(command.state)) streams.restore(command.state);
  if (keeps) streams.save(command.state);  // where that is refused, better now than at the end
  bool ended = false;
  std::exception_ptr error;
  try {
    ended = workflows::serve(streams, STDIN_FILENO, STDOUT_FILENO, stop);
  } catch (...) {
    error = std::current_exception();
  }
  if (keeps) streams.save(command.state);
  if (error) std::rethrow_exception(error);
  if (ended) return;
  throw Interrupted(keeps ? fmt::format("{}; the same command goes on from {}",
                                        cause_of_interrupt(), command.state.string())
                          : std::string(cause_of_interrupt()));
}

}  // namespace

void add_stream_command(CLI::App& app) {
  auto options = std::make_shared<StreamCommand>();
  auto* command = app.add_subcommand("stream", "Answer line by line, while sequences come");
  command
      ->add_option("MODEL", options->model,
                   "A model, or the folder that rwa train has written it to")
      ->required();
  command->add_flag("--id", options->options.id, "Lines begin with the id of their sequence");
  command->add_flag("--json", options->options.json, "Lines and answers are JSON");
  command->add_option("--state", options->state, "File that keeps the sequences begun");
  command->footer(kExample);
  command->callback([options] { stream(*options); });
}

}  // namespace rwa::cli
