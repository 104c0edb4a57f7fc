// src/workflows/attribution.h: how much a prediction depends on each step of its sequence.
//
// Shares, for cells that keep an average: the share of each step in the final average of each unit
// of the last layer. Exact, and the same for every output.
//
// Gradients, for any cell: integrated gradients (Sundararajan, Taly and Yan 2017). Along the
// straight path from a baseline to the sequence the output changes from its baseline value to its
// value for the sequence; the gradient along the path attributes the change to the steps. The
// baseline is the mean of the training data for numbers, and zeros for symbols.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rwa/model.h"
#include "workflows/trained.h"

namespace rwa::workflows {

enum class Method { kShares, kGradients };
std::string_view to_string(Method method);
// Throws ConfigError.
Method parse_method(std::string_view name);
// Shares if the cell keeps an average, else gradients.
Method default_method(const Model& model);

struct Attribution {
  std::vector<float> steps = {};  // [T]
  // [T,width]: the shares of each unit, whose mean is `steps`; or the gradients of each feature,
  // whose sum is `steps`. Empty for gradients of symbols.
  std::vector<float> parts = {};
  std::size_t width = 0;
  // Gradients only: the explained value for the baseline and for the sequence, either the logarithm
  // of a probability in bits or a number in its own unit.
  double baseline = 0, value = 0;

  // The part of the difference that the steps leave unexplained.
  [[nodiscard]] double gap() const;
};

// Explains encoded sequences of at least one step. The model must outlive it.
class Attributor {
 public:
  virtual ~Attributor() = default;
  // Explains this output: a class, a label or a number. A per-step model is explained at the last
  // step.
  virtual Attribution attribute(const formats::Sequence& sequence, std::size_t output) = 0;
};

struct AttributorOptions {
  int threads = 1;
  // Bytes. As many points of the path as fit are processed at once.
  std::size_t memory = std::size_t{1} << 30;
};
// Throws ConfigError for shares of a cell that keeps no average.
std::unique_ptr<Attributor> make_attributor(const Trained& trained, Method method,
                                            const AttributorOptions& options = {});

// The same network with numbers instead of symbols (one-hot rows, or rows of its embedding) and the
// squared error as loss, for integrated gradients.
Model numbers_twin(const Model& model);
// The input of the twin for a sequence, [T,·].
std::vector<float> twin_rows(const Model& model, const formats::Sequence& sequence);

}  // namespace rwa::workflows
