// src/workflows/answers_text.h: answers as rows of a CSV table, or as lines of JSON. A number has the
// fewest digits that read back as the same float.
//   id,prediction,p_no,p_yes                  a class; of labels: predictions, with | between them
//   id,height,weight                          numbers
//   id,from,step,prediction,…                 of a piece of a sequence; to one of its steps
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workflows/answers.h"

namespace rwa::workflows {

enum class Form { kCsv, kJson };

// What an answer is to. What is nothing, or 0, is not written.
struct Place {
  std::optional<std::string_view> id = {};
  int from = 0;  // the first step of a piece, from 1
  int step = 0;  // from 1
};

class AnswersText {
 public:
  AnswersText(const Answers& answers, Form form);

  // The names of the columns that such places have; for JSON nothing.
  [[nodiscard]] std::string header(const Place& like) const;
  // Adds a line to the text.
  void append(const Place& place, std::span<const float> logits, std::string& text);

 private:
  [[nodiscard]] std::string chosen_words(const char* separator) const;
  void append_row(const Place& place, std::string& text) const;
  void append_object(const Place& place, std::string& text) const;

  const Answers& answers_;
  Form form_;
  std::vector<std::string> words_;  // the names of the outputs, as they stand in the form
  Answer answer_;
};

void append_number(float number, std::string& text);
// A field of a CSV row, in quotes where it needs them.
std::string csv_field(std::string_view field);

}  // namespace rwa::workflows
