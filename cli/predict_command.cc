// cli/predict_command.cc: `rwa predict`: predicts for the sequences of files.
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "base/counted.h"
#include "commands.h"
#include "model_options.h"
#include "outputs.h"
#include "rwa/errors.h"
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
    "follows. A model trained on windows writes a row per window; 'from' is its first step.\n"
    "\n"
    "A sequence that cannot be read is reported and skipped; the exit code is then 3.";

struct PredictCommand {
  ModelAndData what;
  std::filesystem::path out;
  bool json = false;
  bool strict = false;
};

constexpr std::int64_t kMostTold = 10;  // reasons to skip a sequence

void predict(const PredictCommand& command) {
  refuse_input("--out", command.out, command.what.model, command.what.data);
  const workflows::Trained trained = workflows::load_trained(command.what.model);
  workflows::SkipReport report;
  report.tell = [&](const InputError& reason) {
    if (report.skipped <= kMostTold) say("rwa: {}; skipped\n", reason.what());
  };
  const workflows::SampleSource samples =
      open_data(command.what, trained, false, command.strict ? nullptr : &report);
  workflows::Output output(command.out);
  workflows::write_predictions(
      trained, samples, command.what.options,
      command.json ? workflows::RowFormat::kJson : workflows::RowFormat::kCsv, output);
  say_written(command.out);
  if (report.unknown > 0) {
    say("rwa: the model does not know {} of {}\n", in_thousands(report.unknown),
        counted(report.symbols, "symbol"));
  }
  if (report.short_series > 0) {
    const datasets::Forecast& forecast = trained.encoding.forecast;
    say("rwa: {} of {} series {} fewer than {}: give the steps before them, too (the model sees up "
        "to "
        "{})\n",
        in_thousands(report.short_series), in_thousands(report.sequences),
        report.short_series == 1 ? "has" : "have", counted(forecast.needed_history(), "step"),
        forecast.history);
  }
  if (report.skipped == 0) return;
  throw InputError(
      fmt::format("{} of {} skipped", report.skipped, counted(report.sequences, "sequence")));
}

}  // namespace

void add_predict_command(const Command& app) {
  auto options = std::make_shared<PredictCommand>();
  const auto command = app.add_command("predict", "Predict with a trained model");
  add_model_and_data(command, options->what);
  command.add_option("--out", options->out,
                     "Write to this file, replaced only on success (default: standard output)");
  command.add_flag("--json", options->json, "Write JSON, one object per line, instead of CSV");
  command.add_flag("--strict", options->strict,
                   "Stop at the first sequence that cannot be read, instead of skipping it");
  command.set_footer(kExample);
  command.set_action([options] { predict(*options); });
}

}  // namespace rwa::cli
