#include "predict_command.h"

#include <atomic>
#include <memory>

#include "interrupt.h"
#include "rwa/device.h"
#include "rwa/version.h"
#include "workflows/predict_out.h"
#include "workflows/predict_samples.h"
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
  const workflows::Samples samples = open_data(command.what, trained, false);
  workflows::Output output(command.out);
  workflows::write_predictions(trained, samples, command.what.options,
                               command.json ? workflows::Form::kJson : workflows::Form::kCsv,
                               output);
}

}  // namespace

ModelAndData::ModelAndData() { options.session.threads = default_threads(); }

void add_model_and_data(CLI::App& command, ModelAndData& what) {
  command
      .add_option("MODEL", what.model, "A model, or the folder that rwa train has written it to")
      ->required();
  command.add_option("DATA", what.data, "Files, folders, or - for the standard input")->required();
  command.add_option("--batch", what.options.batch, "Sequences side by side, at most")
      ->capture_default_str();
  command
      .add_option("--threads", what.options.session.threads, "Threads (default: cores, at most 8)")
      ->capture_default_str();
  command.add_option("--device", what.options.session.device, "Where: cpu, cuda, cuda:1, …")
      ->capture_default_str();
}

workflows::Samples open_data(const ModelAndData& what, const workflows::Trained& trained,
                             bool answered) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const std::atomic<bool>& stop = watch_for_interrupts();
  return [&stop, next = workflows::open_samples(trained.encoding, what.data, answered)](
             workflows::Sample& sample) {
    if (stop) throw Interrupted(std::string(cause_of_interrupt()));
    return next(sample);
  };
}

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
