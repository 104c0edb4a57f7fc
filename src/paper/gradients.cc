#include "paper/gradients.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include "io/replace_file.h"
#include "paper/curves.h"
#include "paper/external_files.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "tasks/task.h"
#include "training/metrics.h"
#include "training/run_folder.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "step,untrained,trained";

datasets::Batch test_batch(const datasets::Dataset& samples, int count) {
  const std::int64_t most = samples.size(datasets::Split::kTest);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(std::min<std::int64_t>(count, most)));
  std::iota(numbers.begin(), numbers.end(), 0);
  datasets::Batch batch;
  samples.fill(datasets::Split::kTest, numbers, batch);
  return batch;
}

// The loss is a mean over sequences, so each gradient was divided by their number.
std::vector<double> sizes_of(const std::vector<float>& h, const datasets::Batch& batch,
                             std::size_t units) {
  const std::size_t sequences = batch.lengths.size();
  std::vector<double> sizes;
  const float* row = h.data();
  for (int t = 0; t < batch.steps; ++t) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t b = 0; b < sequences; ++b, row += units) {
      if (t >= batch.lengths[b]) continue;
      // In double: the squares of vanishing gradients underflow a float.
      for (std::size_t i = 0; i < units; ++i) sum += static_cast<double>(row[i]) * row[i];
      count += units;
    }
    sizes.push_back(static_cast<double>(sequences) * std::sqrt(sum / static_cast<double>(count)));
  }
  return sizes;
}

std::vector<double> sizes_of(const Model& model, const datasets::Batch& batch, int threads) {
  const auto units = static_cast<std::size_t>(model.config().units);
  std::vector<float> weights(model.parameter_count());
  std::vector<float> h(static_cast<std::size_t>(batch.steps) * batch.lengths.size() * units);
  Session session(model, {.threads = threads});
  session.gradient(batch.sequences(), batch.targets(), {.weights = weights, .h = h});
  return sizes_of(h, batch, units);
}

void require_files(const fs::path& run_folder) {
  for (const auto& file : {training::kConfigFile, training::kModelFile}) {
    if (fs::exists(run_folder / file)) continue;
    throw InputError(fmt::format("{}: found no {}, expected the folder of a finished run",
                                 run_folder.string(), file));
  }
}

void require_one_direction(const ModelConfig& config, const fs::path& run_folder) {
  if (config.layers > 0 && !config.bidirectional) return;
  throw InputError(fmt::format(
      "{}: found a network {}, expected one with unidirectional layers", run_folder.string(),
      config.bidirectional ? "with bidirectional layers" : "without layers before its code"));
}

}  // namespace

GradientFlow measure_gradients(const fs::path& run_folder, const fs::path& data, int threads) {
  require_files(run_folder);
  const training::Experiment experiment = training::read_run(run_folder).experiment;
  const bool mnist = std::holds_alternative<tasks::MnistTask>(experiment.task);
  const auto samples =
      tasks::open_task(experiment.task, experiment.seed, mnist ? find_mnist(data) : fs::path());
  const datasets::Batch batch = test_batch(*samples, experiment.evaluation.samples);
  const Model trained = Model::load(run_folder / training::kModelFile);
  require_one_direction(trained.config(), run_folder);
  const Model untrained(training::model_config(experiment, samples->shape()));
  return {.untrained = sizes_of(untrained, batch, threads),
          .trained = sizes_of(trained, batch, threads)};
}

fs::path write_gradients(const fs::path& run_folder, const fs::path& data, int threads) {
  const fs::path file = run_folder / kGradientsFile;
  io::replace_text(file, format_gradients(measure_gradients(run_folder, data, threads)));
  return file;
}

std::string format_gradients(const GradientFlow& flow) {
  std::string text(kHeader);
  text += '\n';
  for (std::size_t t = 0; t < flow.trained.size(); ++t) {
    text += fmt::format("{},{:.5g},{:.5g}\n", t + 1, flow.untrained[t], flow.trained[t]);
  }
  return text;
}

GradientFlow parse_gradients(std::string_view text, const fs::path& file) {
  GradientFlow flow;
  std::size_t number = 1;
  const std::string_view header = take_line(text);
  if (header != kHeader) training::CsvLine(file, number, header).fail(kHeader);
  while (!text.empty()) {
    training::CsvLine line(file, ++number, take_line(text));
    line.require_fields(3);
    if (line.take_count("a step number") != static_cast<std::int64_t>(number) - 1) {
      line.fail(fmt::format("step {}", number - 1));
    }
    for (auto* sizes : {&flow.untrained, &flow.trained}) {
      sizes->push_back(line.take_number("a gradient size"));
      if (sizes->back() < 0) line.fail("a size of 0 or more");
    }
  }
  return flow;
}

}  // namespace rwa::paper
