#include "training/first_model.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace rwa::training {
namespace {
// Whether a parameter has a column for every input of the network.
bool sees_inputs(std::string_view name) {
  return name == "layers.0.weight_x" || name == "layers.0.reverse.weight_x";
}
}  // namespace

Model first_model(const ModelConfig& config, std::span<const int> unseen) {
  Model model(config);
  if (unseen.empty()) return model;
  const bool embedded = config.embedding > 0;  // a row for each symbol
  for (const Parameter& parameter : model.parameters()) {
    if (embedded ? parameter.name != "embedding.weight" : !sees_inputs(parameter.name)) {
      continue;
    }
    std::vector<float> values(parameter.values.begin(), parameter.values.end());
    const auto columns = static_cast<std::size_t>(parameter.shape.back());
    for (const int input : unseen) {
      const auto place = static_cast<std::size_t>(input);
      if (embedded) {
        std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(place * columns), columns, 0.0F);
      } else {
        for (std::size_t i = place; i < values.size(); i += columns) values[i] = 0;
      }
    }
    model.set_parameter(parameter.name, values);
  }
  return model;
}

}  // namespace rwa::training
