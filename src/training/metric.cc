#include "training/metric.h"

#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "training/json_fields.h"

namespace rwa::training {

// Numbers are the shortest that read back as the same bits.
std::string format_metric(const Metric& metric) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::string line = fmt::format(R"({{"step":{},"split":{},"loss":{},"unit":{})", metric.step,
                                 quoted(metric.split), metric.loss, quoted(metric.unit));
  if (metric.accuracy) line += fmt::format(R"(,"accuracy":{})", *metric.accuracy);
  return line + "}";
}

Metric parse_metric(std::string_view line, std::string_view origin) {
  const JsonFields json(line, std::string(origin));
  Metric metric;
  metric.step = json.count("/step");
  metric.split = json.text("/split");
  metric.loss = json.number("/loss");
  metric.unit = json.text("/unit");
  if (json.has("/accuracy")) {
    metric.accuracy = json.number("/accuracy");
    if (*metric.accuracy < 0 || *metric.accuracy > 1) {
      json.fail("accuracy is {}, expected 0 to 1", *metric.accuracy);
    }
  }
  return metric;
}

std::string_view unit_of(Loss loss) { return loss == Loss::kSquaredError ? "mse" : "bits"; }

double in_unit(Loss loss, double value) {
  return loss == Loss::kSquaredError ? value : value / std::numbers::ln2;
}

}  // namespace rwa::training
