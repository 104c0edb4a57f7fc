// src/workflows/explain_text.h: explanations for people, in a terminal, and for programs, as lines of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/table.h"
#include "workflows/answers_text.h"
#include "workflows/explain.h"

namespace rwa::workflows {

// Says the same of an explanation on the terminal, in JSON and on a page.
class ExplanationText {
 public:
  // The model must outlive it.
  explicit ExplanationText(const Trained& trained);

  // The sequence with its answer, the steps that count most, and letters with bars under them.
  [[nodiscard]] std::string to_text(const Explanation& made) const;
  // {"id":"s1","prediction":"yes","probabilities":{…},"truth":"no","method":"shares","shares":[…],
  //  "units":[[…],…]}
  // With gradients: "explained":"yes","baseline":-1.2,"value":-0.1,"gap":0.002,"gradients":[…],
  // "features":{"u":[…],…}.
  [[nodiscard]] std::string to_json(const Explanation& made);

  // "answer yes (97.3 %), truth no"; and with the sequence's name, "s1: answer yes …"
  [[nodiscard]] std::string answer(const Explanation& made) const;
  [[nodiscard]] std::string title(const Explanation& made) const;
  // The steps that count most, the most important first, and what they are.
  [[nodiscard]] report::Table top_steps(const Explanation& made, std::size_t count) const;
  // What is explained and how much of it the steps leave; of shares nothing.
  [[nodiscard]] std::string account(const Explanation& made) const;

  // The symbols, or a feature's numbers in their own unit, of all steps.
  [[nodiscard]] std::vector<std::string> symbols(const Explanation& made) const;
  [[nodiscard]] std::vector<double> numbers(const Explanation& made, std::size_t feature) const;

 private:
  [[nodiscard]] std::string prediction(const Explanation& made) const;
  [[nodiscard]] std::string weight(const Explanation& made, std::size_t step) const;

  const datasets::Encoding& encoding_;
  Answers answers_;
  AnswersText json_;
};

}  // namespace rwa::workflows
