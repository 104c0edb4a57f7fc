// cli/predict_command.cc: `rwa predict`: predictions for the sequences of files.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "model_options.h"
#include "workflows/predict.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa predict runs/vowels new.csv                    a row for each sequence\n"
    "  rwa predict model.safetensors a.csv.gz b.csv --json --out answers.jsonl\n"
    "  zcat big.csv.gz | rwa predict runs/vowels - > answers.csv\n"
    "\n"
    "Columns: id, prediction and the probability of each class; of numbers, the numbers. A model "
    "that\n"
    "answers every step has a row for each of them (of a forecast: what it expects to come next); "
    "one\n"
    "that was trained on windows has a row for each window, which begins with step 'from'.";

struct PredictCommand {
  ModelAndData what;
  std::filesystem::path out;
  bool json = false;
};

void predict(const PredictCommand& command) {
  const workflows::Trained trained = workflows::load_trained(command.what.model);
  const workflows::SampleSource samples = open_data(command.what, trained, false);
  workflows::Output output(command.out);
  workflows::write_predictions(
      trained, samples, command.what.options,
      command.json ? workflows::RowFormat::kJson : workflows::RowFormat::kCsv, output);
}

}  // namespace

void add_predict_command(CLI::App& app) {
  auto options = std::make_shared<PredictCommand>();
  auto* command = app.add_subcommand("predict", "What a model says of your sequences");
  add_model_and_data(*command, options->what);
  command->add_option("--out", options->out,
                      "File to write to, as a whole or not at all (default: the standard output)");
  command->add_flag("--json", options->json, "Lines of JSON instead of CSV");
  command->footer(kExample);
  command->callback([options] { predict(*options); });
}

}  // namespace rwa::cli
