// src/training/metric.h: one score of a network on its way through training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rwa/types.h"

namespace rwa::training {

// One line of metrics.jsonl:
//   {"step":100,"split":"test","loss":0.1618,"unit":"mse"}
//   {"step":100,"split":"train","loss":0.8771,"unit":"bits"}          mean since the last such line
//   {"step":100,"split":"valid","loss":0.7,"unit":"bits","accuracy":0.8}    all for validation
//   {"step":9000,"split":"final","loss":0.01,"unit":"bits","accuracy":0.998}    the whole test set
struct Metric {
  std::int64_t step = 0;
  std::string split;
  double loss = 0;
  std::string unit;                     // "bits" or "mse"
  std::optional<double> accuracy = {};  // 0…1, where the task is to classify

  friend bool operator==(const Metric&, const Metric&) = default;
};

std::string format_metric(const Metric& metric);
// `origin` names file and line. Throws InputError.
Metric parse_metric(std::string_view line, std::string_view origin);

// The cross-entropies of a network are in nats; people read bits.
std::string_view unit_of(Loss loss);
double in_unit(Loss loss, double value);

}  // namespace rwa::training
