#include "workflows/predictions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backend/host.h"

namespace rwa::workflows {
namespace {

// The denominator of a softmax after subtracting its largest logit.
struct SoftmaxSum {
  double top, sum;

  explicit SoftmaxSum(std::span<const float> logits)
      : top(*std::ranges::max_element(logits)),
        sum(host::softmax_sum(static_cast<int>(logits.size()), logits.data(), top)) {}
};

void softmax(std::span<const float> logits, std::vector<float>& p) {
  const auto [top, sum] = SoftmaxSum(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    p[i] = static_cast<float>(std::exp(logits[i] - top) / sum);
  }
}

float sigmoid(float logit) {
  return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(logit))));
}

std::string_view prediction_of(Loss loss) {
  return loss == Loss::kSigmoid ? "predictions" : "prediction";
}

// Replaces the comma after the last member or field with the end of the line.
void end_line(std::string_view end, std::string& text) {
  text.pop_back();
  text += end;
}

void append_json_number(float number, std::string& text) {
  if (std::isfinite(number)) {
    append_number(number, text);
  } else {
    text += "null";
  }
}

}  // namespace

double log_sum_exp(std::span<const float> logits) {
  const SoftmaxSum softmax(logits);
  return std::log(softmax.sum) + softmax.top;
}

OutputDecoder::OutputDecoder(const datasets::Encoding& encoding)
    : encoding_(encoding),
      loss_(encoding.shape().loss),
      every_step_(encoding.answers_every_step()),
      names_(encoding.outputs()),
      normal_(encoding.schema.target == formats::Target::kNone ? encoding.of_numbers()
                                                               : encoding.targets) {
  if (!is_of_forecasts()) return;
  normal_.mean.assign(names_.size(), 0);
  normal_.scale.assign(names_.size(), 1);
}

void OutputDecoder::decode(std::span<const float> logits, Prediction& prediction) const {
  prediction.values.resize(logits.size());
  prediction.chosen.clear();
  switch (loss_) {
    case Loss::kSoftmax:
      softmax(logits, prediction.values);
      prediction.chosen.push_back(
          static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin()));
      break;
    case Loss::kSigmoid:
      for (std::size_t i = 0; i < logits.size(); ++i) {
        prediction.values[i] = sigmoid(logits[i]);
        if (logits[i] > 0) prediction.chosen.push_back(i);
      }
      break;
    case Loss::kSquaredError:
    case Loss::kPinball:
      for (std::size_t i = 0; i < logits.size(); ++i) {
        prediction.values[i] = in_own_unit(i, logits[i]);
      }
      break;
  }
}

void OutputDecoder::decode(const formats::Sequence& window, std::span<const float> logits,
                           Prediction& prediction) const {
  if (!is_of_forecasts()) return decode(logits, prediction);
  prediction = {};
  const auto ranges =
      datasets::ranges_of(encoding_.forecast, encoding_.schema.features.size(), window, logits);
  for (const auto& [low, median, high] : ranges) {
    for (const double number : {low, median, high}) {
      prediction.values.push_back(static_cast<float>(number));
    }
  }
}

float OutputDecoder::in_own_unit(std::size_t output, float number) const {
  return static_cast<float>(number * normal_.scale[output] + normal_.mean[output]);
}

void append_number(float number, std::string& text) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
}

std::string json_string(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

PredictionFormatter::PredictionFormatter(const OutputDecoder& decoder, RowFormat format)
    : decoder_(decoder), format_(format) {
  for (const std::string& name : decoder.names()) {
    words_.push_back(format == RowFormat::kCsv ? name : json_string(name));
  }
}

std::string PredictionFormatter::header(const RowKey& like) const {
  if (format_ == RowFormat::kJson) return "";
  std::string text;
  if (like.id) text += "id,";
  if (like.from > 0) text += "from,";
  if (like.step > 0) text += "step,";
  const bool likely = !decoder_.is_of_numbers();
  if (likely) text += fmt::format("{},", prediction_of(decoder_.loss()));
  for (const std::string& word : words_) text += csv_field(likely ? "p_" + word : word) + ',';
  end_line("\n", text);
  return text;
}

void PredictionFormatter::append(const RowKey& key, std::span<const float> logits,
                                 std::string& text) {
  decoder_.decode(logits, prediction_);
  if (format_ == RowFormat::kCsv) {
    append_row(key, text);
  } else {
    append_object(key, text);
  }
}

std::string PredictionFormatter::chosen_words(const char* separator) const {
  std::string text;
  for (const std::size_t i : prediction_.chosen) {
    text += (text.empty() ? "" : separator) + words_[i];
  }
  return text;
}

void PredictionFormatter::append_row(const RowKey& key, std::string& text) const {
  if (key.id) text += csv_field(*key.id) + ',';
  if (key.from > 0) text += fmt::format("{},", key.from);
  if (key.step > 0) text += fmt::format("{},", key.step);
  if (!decoder_.is_of_numbers()) {
    text += csv_field(chosen_words("|")) + ',';
  }
  for (const float value : prediction_.values) {
    append_number(value, text);
    text += ',';
  }
  end_line("\n", text);
}

void PredictionFormatter::append_object(const RowKey& key, std::string& text) const {
  text += '{';
  if (key.id) text += fmt::format("\"id\":{},", json_string(*key.id));
  if (key.from > 0) text += fmt::format("\"from\":{},", key.from);
  if (key.step > 0) text += fmt::format("\"step\":{},", key.step);
  if (decoder_.loss() == Loss::kSoftmax) {
    text +=
        fmt::format("\"prediction\":{},\"probabilities\":{{", words_[prediction_.chosen.front()]);
  } else if (decoder_.loss() == Loss::kSigmoid) {
    text += fmt::format("\"predictions\":[{}],\"probabilities\":{{", chosen_words(","));
  } else {
    text += "\"prediction\":{";
  }
  for (std::size_t i = 0; i < words_.size(); ++i) {
    text += words_[i] + ':';
    append_json_number(prediction_.values[i], text);
    text += ',';
  }
  end_line("}}\n", text);
}

}  // namespace rwa::workflows
