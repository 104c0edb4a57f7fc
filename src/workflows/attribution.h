// src/workflows/attribution.h: how much a prediction depends on each step of its sequence.
//
// Shares: of a cell that keeps an average, the share of every step in the average that a sequence
// ends with, for each unit of the last layer. Exact, and the same for every output.
//
// Gradients, of any cell: integrated gradients (Sundararajan, Taly and Yan 2017). On the straight
// path from a baseline to the sequence, the output goes from that of the baseline to that of the
// sequence; the gradient along the path gives each step its part of the difference. The baseline is
// the mean of the training data where steps are numbers, and a row of zeros where they are symbols.
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
// Shares where the cell keeps an average.
Method default_method(const Model& model);

struct Attribution {
  std::vector<float> steps = {};  // [T]
  // [T,width]: the shares of each unit, of which `steps` is the mean; or the parts that each
  // feature has, of which it is the sum. None for the gradients of symbols.
  std::vector<float> parts = {};
  std::size_t width = 0;
  // Of gradients: the explained value for the baseline and for the sequence: the logarithm of a
  // probability, in bits, or a number in its own unit.
  double baseline = 0, value = 0;

  // What the parts of all steps leave of the difference.
  [[nodiscard]] double gap() const;
};

// One sequence after the other; they have at least one step, and are encoded. The model must
// outlive it.
class Attributor {
 public:
  virtual ~Attributor() = default;
  // `output` is explained: a class, a label or a number; of answers to every step, the last one.
  virtual Attribution attribute(const formats::Sequence& sequence, std::size_t output) = 0;
};

struct AttributorOptions {
  int threads = 1;
  // Bytes: gradients are taken at as many points of the path at once as fit.
  std::size_t memory = std::size_t{1} << 30;
};
// Throws ConfigError for shares of a cell that keeps no average.
std::unique_ptr<Attributor> make_attributor(const Trained& trained, Method method,
                                            const AttributorOptions& options = {});

// The same network with numbers for symbols (one-hot rows, or those of its embedding) and the
// squared error as loss, of which integrated gradients are taken.
Model numbers_twin(const Model& model);
// The rows that the twin reads, [T,·].
std::vector<float> twin_rows(const Model& model, const formats::Sequence& sequence);

}  // namespace rwa::workflows
