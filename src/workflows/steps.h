// src/workflows/steps.h: a stream through a model in the steps of its data: each is seen as it was in training,
// together with those before it where the model asks for that (data/widening.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rwa/model.h"
#include "workflows/trained.h"

namespace rwa::workflows {

class Steps {
 public:
  // The model must outlive it. Throws ConfigError as Stream does.
  explicit Steps(const Trained& trained);

  // An encoded step: features, or a symbol. y is [O].
  void step(std::span<const float> x, std::span<float> y);
  void step(std::int32_t symbol, std::span<float> y);

  void reset();
  // All that the next step depends on.
  [[nodiscard]] std::vector<float> state() const;
  [[nodiscard]] std::size_t state_size() const;
  void set_state(std::span<const float> state);

 private:
  [[nodiscard]] std::size_t recent_size() const;
  void step_widened(std::span<float> y);

  const datasets::Encoding& encoding_;
  Stream stream_;
  // Where the model asks for them: how many steps there were, and the last of them.
  int place_ = 0;
  formats::Sequence recent_;
  std::vector<float> row_;
};

}  // namespace rwa::workflows
