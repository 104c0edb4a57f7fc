// tests/workflows/untrained_models.h: small untrained models for each kind of task, and data for
// them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "datasets/encoding.h"
#include "io/io_testing.h"
#include "rwa/model.h"
#include "support/random_data.h"
#include "workflows/trained.h"

namespace rwa::workflows {

using formats::Target;

// A table with a row for each step, with the features u and v; the classes or labels are no, maybe
// and yes, the numbers height and weight.
inline datasets::Encoding numbers_encoding(Target target) {
  datasets::Encoding encoding;
  encoding.schema = {.format = formats::Format::kTable,
                     .layout = formats::Layout::kLong,
                     .features = {"u", "v"},
                     .target = target,
                     .id = "id"};
  encoding.features = {.mean = {1, -2}, .scale = {0.5, 3}};
  if (target == Target::kNumbers || target == Target::kNumbersPerStep) {
    encoding.schema.targets = {"height", "weight"};
    encoding.targets = {.mean = {170, 60}, .scale = {10, 20}};
  } else if (target != Target::kNone) {
    encoding.schema.targets = {"answer"};
    encoding.labels = {"maybe", "no", "yes"};
  }
  return encoding;
}

// Lines of text of the letters a, b and c.
inline datasets::Encoding letters_encoding(Target target) {
  datasets::Encoding encoding;
  encoding.schema = {.format = formats::Format::kText, .symbols = true, .target = target};
  encoding.alphabet = {"a", "b", "c"};
  if (target == Target::kClass) encoding.labels = {"no", "yes"};
  return encoding;
}

// A network for the encoding, with random weights that make all its outputs differ.
inline Trained make_trained(datasets::Encoding encoding, ModelConfig config = {}) {
  const datasets::Shape shape = encoding.shape();
  config.input = shape.input;
  config.inputs = shape.inputs;
  config.units = 8;
  config.readout = shape.readout;
  config.outputs = shape.outputs;
  config.loss = shape.loss;
  Model model(config);
  model.set_weights(RandomData(3).normal<float>(model.parameter_count(), 0.5));
  model.set_note(std::string(datasets::kEncodingNote), datasets::to_json(encoding));
  return {std::move(model), std::move(encoding)};
}

// A long table of this many sequences of different lengths, with the columns of numbers_encoding()
// and random targets.
inline std::string long_table(int sequences, Target target, std::uint64_t seed = 1) {
  RandomData random(seed);
  const datasets::Encoding encoding = numbers_encoding(target);
  const bool per_step = target == Target::kClassPerStep || target == Target::kNumbersPerStep;
  std::string table = "id,u,v";
  for (const std::string& name : encoding.schema.targets) table += "," + name;
  table += "\n";
  for (int s = 0; s < sequences; ++s) {
    std::string answer;
    const auto draw = [&] {
      answer.clear();
      for (std::size_t i = 0; i < encoding.targets.mean.size(); ++i) {
        answer += fmt::format(",{}", random.normal<float>(1, 10, 100)[0]);
      }
      if (!encoding.labels.empty()) {
        answer += "," + encoding.labels[static_cast<std::size_t>(random.classes(1, 3)[0])];
      }
    };
    draw();
    const int steps = 1 + random.classes(1, 12)[0];
    for (int t = 0; t < steps; ++t) {
      if (per_step) draw();
      const auto x = random.normal<float>(2);
      table += fmt::format("s{},{},{}{}\n", s, x[0], x[1], answer);
    }
  }
  return table;
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace rwa::workflows
