// src/workflows/predictions.h: turns the outputs of a network into predictions, and predictions
// into rows of CSV or lines of JSON, for every command that predicts.
//   id,prediction,p_no,p_yes                  a class; multi-label: predictions, joined with |
//   id,height,weight                          numbers
//   id,from,step,prediction,…                 a window of a sequence; a single step
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/encoding.h"

namespace rwa::workflows {

// The prediction for a sequence, or for one of its steps.
struct Prediction {
  // Probabilities, or numbers in their own unit; of forecasts lower ends, medians and upper ends.
  std::vector<float> values;
  // Indices of outputs: the most likely class, or the labels with a probability above 1/2.
  std::vector<std::size_t> chosen;
};

// log Σ exp(logits), in double.
double log_sum_exp(std::span<const float> logits);

class OutputDecoder {
 public:
  // The encoding must outlive it.
  explicit OutputDecoder(const datasets::Encoding& encoding);

  // Distinguishes a class, labels and numbers.
  [[nodiscard]] Loss loss() const { return loss_; }
  [[nodiscard]] bool is_of_numbers() const {
    return loss_ == Loss::kSquaredError || loss_ == Loss::kPinball;
  }
  [[nodiscard]] bool is_of_forecasts() const { return loss_ == Loss::kPinball; }
  [[nodiscard]] bool every_step() const { return every_step_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // of the outputs

  // `logits` are the outputs before softmax or sigmoid, [O].
  void decode(std::span<const float> logits, Prediction& prediction) const;
  // The same for a forecast, which is relative to a window.
  void decode(const formats::Sequence& window, std::span<const float> logits,
              Prediction& prediction) const;
  // Converts a standardised number of that output to its own unit. Those of forecasts stay
  // relative.
  [[nodiscard]] float in_own_unit(std::size_t output, float number) const;
  [[nodiscard]] double scale(std::size_t output) const { return normal_.scale[output]; }

 private:
  const datasets::Encoding& encoding_;
  Loss loss_;
  bool every_step_;
  std::vector<std::string> names_;
  datasets::Normal normal_;  // for numbers
};

enum class RowFormat { kCsv, kJson };

// Identifies a row. Fields that are empty or 0 are not written.
struct RowKey {
  std::optional<std::string_view> id = {};
  int from = 0;  // the first step of a window, from 1
  int step = 0;  // from 1
};

// Writes numbers with the fewest digits that read back as the same float.
class PredictionFormatter {
 public:
  PredictionFormatter(const OutputDecoder& decoder, RowFormat format);

  // The CSV header for rows with the same fields as `like`; empty for JSON.
  [[nodiscard]] std::string header(const RowKey& like) const;
  // Appends a row to the text.
  void append(const RowKey& key, std::span<const float> logits, std::string& text);

 private:
  [[nodiscard]] std::string chosen_words(const char* separator) const;
  void append_row(const RowKey& key, std::string& text) const;
  void append_object(const RowKey& key, std::string& text) const;

  const OutputDecoder& decoder_;
  RowFormat format_;
  std::vector<std::string> words_;  // the names of the outputs, as written
  Prediction prediction_;
};

void append_number(float number, std::string& text);
// A JSON string in quotes; invalid UTF-8 is replaced.
std::string json_string(std::string_view text);
// A field of a CSV row, in quotes if needed.
std::string csv_field(std::string_view field);

}  // namespace rwa::workflows
