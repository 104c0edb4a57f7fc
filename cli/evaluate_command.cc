// cli/evaluate_command.cc: `rwa evaluate`: scores a model on files with known targets.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "model_options.h"
#include "say.h"
#include "workflows/evaluate.h"
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
    "(a model that always predicts the mean scores about 1). The baselines of a run folder are\n"
    "fitted to its training files again, if they are unchanged.";

void evaluate(const ModelAndData& what, bool json) {
  const workflows::Trained trained = workflows::load_trained(what.model);
  const bool again = std::ranges::all_of(what.data, [](const std::filesystem::path& path) {
    return std::filesystem::is_regular_file(path) || std::filesystem::is_directory(path);
  });
  const auto evaluated = workflows::evaluate(
      what.model, trained, [&] { return open_data(what, trained, true); }, again, what.options);
  fmt::print("{}", json ? workflows::to_json(evaluated) : workflows::to_text(evaluated));
  if (!evaluated.why_no_baselines.empty()) {
    say("no baselines: {}\n", evaluated.why_no_baselines);
  }
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
