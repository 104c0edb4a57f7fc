// src/workflows/encoded_stream.h: runs a model step by step. Each step is encoded as in training,
// with preceding steps and position features if the model has them as inputs.
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

// Throws ConfigError for forecasts, whose windows are not streams, and if each sequence is scaled
// by itself, which needs all of its steps.
void check_streamable(const datasets::Encoding& encoding);

class EncodedStream {
 public:
  // The model must outlive it. Throws ConfigError as Stream and check_streamable() do.
  explicit EncodedStream(const Trained& trained);

  // Takes an encoded step, features or a symbol, and sets y, [O].
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
  // For models with a context or positions: the number of steps so far, and the last ones.
  int position_ = 0;
  formats::Sequence recent_;
  std::vector<float> row_;
};

// Whether symbols are words: of a text, or symbols longer than the k letters of a k-mer.
bool has_words(const datasets::Encoding& encoding);
// The text as the reader of the training format returns it: in upper case for FASTA and FASTQ, in
// lower case if the model was trained with --lower.
std::string as_in_files(std::string_view text, const datasets::Encoding& encoding);

}  // namespace rwa::workflows
