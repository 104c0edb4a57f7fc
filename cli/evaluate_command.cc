// cli/evaluate_command.cc: `rwa evaluate`: how well a model does on files whose answers are known.
#include <CLI/CLI.hpp>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "model_options.h"
#include "workflows/score.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa evaluate runs/vowels vowels_test.ts\n"
    "  rwa evaluate runs/vowels vowels_test.ts --json | jq .accuracy\n"
    "\n"
    "The loss is in the unit of training: bits, or the squared error of numbers made normal. The\n"
    "answers must stand in the files, where they stood in those of the training.";

void evaluate(const ModelAndData& what, bool json) {
  const workflows::Trained trained = workflows::load_trained(what.model);
  const workflows::Scores scores =
      workflows::score(trained, open_data(what, trained, true), what.options);
  fmt::print("{}", json ? workflows::to_json(scores) : workflows::to_text(scores));
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  auto what = std::make_shared<ModelAndData>();
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("evaluate", "How well a model does on your sequences");
  add_model_and_data(*command, *what);
  command->add_flag("--json", *json, "For a program to read");
  command->footer(kExample);
  command->callback([what, json] { evaluate(*what, *json); });
}

}  // namespace rwa::cli
