// src/workflows/encoded_stream.h: a stream through a model, step by step: each step is encoded as
// in training, with the steps before it and its position where the model has them as inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rwa/model.h"
#include "workflows/trained.h"

namespace rwa::workflows {

class EncodedStream {
 public:
  // The model must outlive it. Throws ConfigError as Stream does.
  explicit EncodedStream(const Trained& trained);

  // An encoded step: features, or a symbol. y is [O].
  void step(std::span<const float> x, std::span<float> y);
  void step(std::int32_t symbol, std::span<float> y);

  void reset();
  // Everything that the next step depends on.
  [[nodiscard]] std::vector<float> state() const;
  [[nodiscard]] std::size_t state_size() const;
  void set_state(std::span<const float> state);

 private:
  [[nodiscard]] std::size_t recent_size() const;
  void step_widened(std::span<float> y);

  const datasets::Encoding& encoding_;
  Stream stream_;
  // Where the model has them as inputs: the number of steps so far, and the last of them.
  int position_ = 0;
  formats::Sequence recent_;
  std::vector<float> row_;
};

// Symbols are words where some are longer than letters, or k-mers of letters, would be.
bool has_words(const datasets::Encoding& encoding);
// A text as the reader of the training format returns it: FASTA and FASTQ in upper case.
std::string as_in_files(std::string_view text, const datasets::Encoding& encoding);

}  // namespace rwa::workflows
