// cli/evaluate_command.cc: `rwa evaluate`: scores a model on files with known targets.
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
    "The data must hold the targets, in the same columns or form as the training data. The loss\n"
    "is the training loss: cross-entropy in bits, or the squared error of standardised targets\n"
    "(a model that always predicts the mean scores about 1).";

void evaluate(const ModelAndData& what, bool json) {
  const workflows::Trained trained = workflows::load_trained(what.model);
  const workflows::Scores scores =
      workflows::score(trained, open_data(what, trained, true), what.options);
  fmt::print("{}", json ? workflows::to_json(scores) : workflows::to_text(scores));
}

}  // namespace

void add_evaluate_command(const Command& app) {
  auto what = std::make_shared<ModelAndData>();
  auto json = std::make_shared<bool>(false);
  const auto command = app.add_command("evaluate", "Score a model on your data");
  add_model_and_data(command, *what);
  command.add_flag("--json", *json, "Print the scores as JSON");
  command.set_footer(kExample);
  command.set_action([what, json] { evaluate(*what, *json); });
}

}  // namespace rwa::cli
