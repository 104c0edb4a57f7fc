// src/workflows/predictions.h: from the outputs of a network to predictions, and these as rows of a
// CSV table or lines of JSON. Every command that predicts does it here.
//   id,prediction,p_no,p_yes                  a class; of labels: predictions, with | between them
//   id,height,weight                          numbers
//   id,from,step,prediction,…                 of a window of a sequence; of one of its steps
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/encoding.h"

namespace rwa::workflows {

// For a sequence, or for one of its steps.
struct Prediction {
  std::vector<float> values;  // probabilities, or numbers in their own unit
  // Outputs: the most likely class, or the labels that are more likely than not.
  std::vector<std::size_t> chosen;
};

// log Σ exp(logits), in double.
double log_sum_exp(std::span<const float> logits);

class OutputDecoder {
 public:
  explicit OutputDecoder(const datasets::Encoding& encoding);

  // Tells a class, labels and numbers apart.
  [[nodiscard]] Loss loss() const { return loss_; }
  [[nodiscard]] bool every_step() const { return every_step_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // of the outputs

  // From the outputs before softmax or sigmoid, [O].
  void decode(std::span<const float> logits, Prediction& prediction) const;
  // A standardised number of that output, in its own unit.
  [[nodiscard]] float in_own_unit(std::size_t output, float number) const;
  [[nodiscard]] double scale(std::size_t output) const { return normal_.scale[output]; }

 private:
  Loss loss_;
  bool every_step_;
  std::vector<std::string> names_;
  datasets::Normal normal_;  // of numbers
};

enum class RowFormat { kCsv, kJson };

// What a row is about. Fields that are empty or 0 are not written.
struct RowKey {
  std::optional<std::string_view> id = {};
  int from = 0;  // the first step of a window, from 1
  int step = 0;  // from 1
};

// A number has the fewest digits that read back as the same float.
class PredictionFormatter {
 public:
  PredictionFormatter(const OutputDecoder& decoder, RowFormat format);

  // The names of the columns of rows with such a key; for JSON nothing.
  [[nodiscard]] std::string header(const RowKey& like) const;
  // Adds a row to the text.
  void append(const RowKey& key, std::span<const float> logits, std::string& text);

 private:
  [[nodiscard]] std::string chosen_words(const char* separator) const;
  void append_row(const RowKey& key, std::string& text) const;
  void append_object(const RowKey& key, std::string& text) const;

  const OutputDecoder& decoder_;
  RowFormat format_;
  std::vector<std::string> words_;  // the names of the outputs, as they are written
  Prediction prediction_;
};

void append_number(float number, std::string& text);
// A JSON string, in quotes; what is not UTF-8 is replaced.
std::string json_string(std::string_view text);
// A field of a CSV row, in quotes where it needs them.
std::string csv_field(std::string_view field);

}  // namespace rwa::workflows
