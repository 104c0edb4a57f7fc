// cli/predict_command.cc: `rwa predict`: predicts for the sequences of files.
#include <memory>

#include "commands.h"
#include "model_options.h"
#include "say.h"
#include "workflows/predict.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa predict runs/vowels new.csv                    One row per sequence\n"
    "  rwa predict model.safetensors a.csv.gz b.csv --json --out predictions.jsonl\n"
    "  zcat big.csv.gz | rwa predict runs/vowels - > predictions.csv\n"
    "\n"
    "Columns: id, then the predicted class and the probability of each class, or the predicted\n"
    "numbers. Per-step and forecasting models write a row per step; a forecast is of the step "
    "that\n"
    "follows. A model trained on windows writes a row per window; 'from' is its first step.";

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
  say_written(command.out);
}

}  // namespace

void add_predict_command(const Command& app) {
  auto options = std::make_shared<PredictCommand>();
  const auto command = app.add_command("predict", "Predict with a trained model");
  add_model_and_data(command, options->what);
  command.add_option("--out", options->out,
                     "Write to this file, replaced only on success (default: standard output)");
  command.add_flag("--json", options->json, "Write JSON, one object per line, instead of CSV");
  command.set_footer(kExample);
  command.set_action([options] { predict(*options); });
}

}  // namespace rwa::cli
