#include "model_options.h"

#include <atomic>
#include <string>

#include "interrupt.h"
#include "rwa/device.h"
#include "rwa/version.h"
#include "settings_options.h"
#include "training/settings.h"
#include "workflows/predict.h"

namespace rwa::cli {

ModelAndData::ModelAndData() { options.session.threads = default_threads(); }

void add_model(const Command& command, std::filesystem::path& model) {
  command.add_option("MODEL", model, "Model file or run folder").required().must_exist();
}

void add_model_and_data(const Command& command, ModelAndData& what) {
  add_model(command, what.model);
  command.add_option("DATA", what.data, "Files, folders, or - for standard input").required();
  command
      .add_number("--batch", what.options.batch, {.least = 1, .most = training::kMostInBatch},
                  "Maximum batch size")
      .show_default();
  command.add_number("--threads", what.options.session.threads, kThreads, "Threads").show_default();
  command.add_option("--device", what.options.session.device, "Device: cpu, cuda or cuda:N")
      .show_default();
}

workflows::SampleSource open_data(const ModelAndData& what, const workflows::Trained& trained,
                                  bool answered, workflows::SkipReport* report) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const std::atomic<bool>& stop = watch_for_interrupts();
  return [&stop, next = workflows::open_samples(trained.encoding, what.data, answered, report)](
             workflows::Sample& sample) {
    if (stop) throw Interrupted(std::string(cause_of_interrupt()));
    return next(sample);
  };
}

}  // namespace rwa::cli
