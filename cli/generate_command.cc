// cli/generate_command.cc: `rwa generate`: continues sequences with a model of the next step.
#include <filesystem>
#include <memory>
#include <string_view>

#include "commands.h"
#include "interrupt.h"
#include "model_options.h"
#include "rwa/version.h"
#include "training/settings.h"
#include "workflows/generate.h"
#include "workflows/output.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa generate runs/names --count 10 --length 8 --temperature 0.7\n"
    "  rwa generate runs/names --prompt Mc --seed 4\n"
    "  rwa generate runs/load --prompt-file yesterday.csv --length 24\n"
    "\n"
    "Needs a model of the next step (text, or rwa train --task next-step). Prints a text per line "
    "for symbols,\n"
    "or CSV for numbers. Texts end after --length steps: models do not learn where texts end.\n"
    "Without a prompt, a text starts with a random symbol, numbers with the mean of the data.";

struct GenerateCommand {
  std::filesystem::path model;
  workflows::GenerateOptions options;
};

void generate(const GenerateCommand& command) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const auto& stop = watch_for_interrupts();
  const workflows::Trained trained = workflows::load_trained(command.model);
  workflows::Output output;
  workflows::generate(trained, command.options, [&](std::string_view line) {
    if (stop) throw Interrupted(std::string(cause_of_interrupt()));
    output.write(line);
  });
  output.finish();
}

}  // namespace

void add_generate_command(const Command& app) {
  auto options = std::make_shared<GenerateCommand>();
  workflows::GenerateOptions& generated = options->options;
  const auto command =
      app.add_command("generate", "Generate sequences with a model of the next step");
  add_model(command, options->model);
  command
      .add_number("--length", generated.length, {.least = 1, .most = 1'000'000'000},
                  "Steps to generate")
      .show_default();
  command.add_number("--count", generated.count, {.least = 1, .most = 1'000'000'000},
                     "Sequences per prompt (default: 1)");
  const auto prompt =
      command.add_option("--prompt", generated.prompt, "Text to continue").value_name("TEXT");
  command
      .add_option("--prompt-file", generated.prompt_file,
                  "File with sequences to continue, or - for standard input")
      .excludes(prompt);
  command.add_number("--temperature", generated.temperature, {.least = 0, .most = 1e6},
                     "Sampling temperature (default: 1; 0: always the most likely symbol)");
  command.add_number("--seed", generated.seed, {.least = 0, .most = training::kMostSeed},
                     "Random seed: the same seed gives the same texts (default: 1)");
  command.set_footer(kExample);
  command.set_action([options] { generate(*options); });
}

}  // namespace rwa::cli
