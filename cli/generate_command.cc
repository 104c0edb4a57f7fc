// cli/generate_command.cc: `rwa generate`: continues sequences with a model of the next step.
#include <filesystem>
#include <memory>
#include <string_view>

#include "commands.h"
#include "interrupt.h"
#include "rwa/version.h"
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
  command.add_option("MODEL", options->model, "Model file or run folder").required();
  command.add_option("--length", generated.length, "Steps to generate").show_default();
  command.add_option("--count", generated.count, "Sequences per prompt").show_default();
  const auto prompt =
      command.add_option("--prompt", generated.prompt, "Text to continue").value_name("TEXT");
  command.add_option("--prompt-file", generated.prompt_file, "File with sequences to continue")
      .excludes(prompt);
  command
      .add_option("--temperature", generated.temperature,
                  "Sampling temperature (0: always the most likely symbol)")
      .show_default();
  command.add_option("--seed", generated.seed, "Random seed: the same seed gives the same texts")
      .show_default();
  command.set_footer(kExample);
  command.set_action([options] { generate(*options); });
}

}  // namespace rwa::cli
