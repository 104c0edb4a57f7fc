// cli/generate_command.cc: `rwa generate`: continue sequences with a forecasting model.
#include <CLI/CLI.hpp>
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
    "For models that forecast the next step: of symbols a text per line, of numbers CSV. The "
    "length\n"
    "alone decides where a text ends: what ended the lines of the training is not learned. Without "
    "a\n"
    "prompt, the first symbol is any of the alphabet; numbers begin after a step of their mean.";

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

void add_generate_command(CLI::App& app) {
  auto options = std::make_shared<GenerateCommand>();
  workflows::GenerateOptions& generated = options->options;
  auto* command = app.add_subcommand("generate", "Let a model of the next step run freely");
  command
      ->add_option("MODEL", options->model,
                   "A model, or the folder that rwa train has written it to")
      ->required();
  command->add_option("--length", generated.length, "Steps")->capture_default_str();
  command->add_option("--count", generated.count, "Texts for each prompt")->capture_default_str();
  auto* prompt = command->add_option("--prompt", generated.prompt, "How the text begins");
  command
      ->add_option("--prompt-file", generated.prompt_file,
                   "A file with sequences, each of which is continued")
      ->excludes(prompt);
  command
      ->add_option("--temperature", generated.temperature,
                   "Less is more likely: 0 is always the most likely symbol")
      ->capture_default_str();
  command->add_option("--seed", generated.seed, "The same seed, the same texts")
      ->capture_default_str();
  command->footer(kExample);
  command->callback([options] { generate(*options); });
}

}  // namespace rwa::cli
