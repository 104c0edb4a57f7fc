#include "workflows/answers_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rwa::workflows {
namespace {

std::string json_text(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string_view prediction_of(Loss loss) {
  return loss == Loss::kSigmoid ? "predictions" : "prediction";
}

// What was written for each member or field ends with a comma: the last becomes the end of the
// line.
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

void append_number(float number, std::string& text) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
}

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

AnswersText::AnswersText(const Answers& answers, Form form) : answers_(answers), form_(form) {
  for (const std::string& name : answers.names()) {
    words_.push_back(form == Form::kCsv ? name : json_text(name));
  }
}

std::string AnswersText::header(const Place& like) const {
  if (form_ == Form::kJson) return "";
  std::string text;
  if (like.id) text += "id,";
  if (like.from > 0) text += "from,";
  if (like.step > 0) text += "step,";
  const bool likely = answers_.loss() != Loss::kSquaredError;
  if (likely) text += fmt::format("{},", prediction_of(answers_.loss()));
  for (const std::string& word : words_) text += csv_field(likely ? "p_" + word : word) + ',';
  end_line("\n", text);
  return text;
}

void AnswersText::append(const Place& place, std::span<const float> logits, std::string& text) {
  answers_.read(logits, answer_);
  if (form_ == Form::kCsv) {
    append_row(place, text);
  } else {
    append_object(place, text);
  }
}

std::string AnswersText::chosen_words(const char* separator) const {
  std::string text;
  for (const std::size_t i : answer_.chosen) text += (text.empty() ? "" : separator) + words_[i];
  return text;
}

void AnswersText::append_row(const Place& place, std::string& text) const {
  if (place.id) text += csv_field(*place.id) + ',';
  if (place.from > 0) text += fmt::format("{},", place.from);
  if (place.step > 0) text += fmt::format("{},", place.step);
  if (answers_.loss() != Loss::kSquaredError) {
    text += csv_field(chosen_words("|")) + ',';
  }
  for (const float value : answer_.values) {
    append_number(value, text);
    text += ',';
  }
  end_line("\n", text);
}

void AnswersText::append_object(const Place& place, std::string& text) const {
  text += '{';
  if (place.id) text += fmt::format("\"id\":{},", json_text(*place.id));
  if (place.from > 0) text += fmt::format("\"from\":{},", place.from);
  if (place.step > 0) text += fmt::format("\"step\":{},", place.step);
  if (answers_.loss() == Loss::kSoftmax) {
    text += fmt::format("\"prediction\":{},\"probabilities\":{{", words_[answer_.chosen.front()]);
  } else if (answers_.loss() == Loss::kSigmoid) {
    text += fmt::format("\"predictions\":[{}],\"probabilities\":{{", chosen_words(","));
  } else {
    text += "\"prediction\":{";
  }
  for (std::size_t i = 0; i < words_.size(); ++i) {
    text += words_[i] + ':';
    append_json_number(answer_.values[i], text);
    text += ',';
  }
  end_line("}}\n", text);
}

}  // namespace rwa::workflows
