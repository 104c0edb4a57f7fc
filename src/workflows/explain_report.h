// src/workflows/explain_report.h: explanations as text for a terminal, as JSON lines, and as pages
// with pictures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/table.h"
#include "workflows/explain.h"
#include "workflows/predictions.h"

namespace rwa::workflows {

// The texts of an explanation, shared by terminal, JSON and page.
class ExplanationText {
 public:
  // The model must outlive it.
  explicit ExplanationText(const Trained& trained);

  // The prediction, the most important steps, and for letters the sequence with bars below it.
  [[nodiscard]] std::string to_text(const Explanation& made) const;
  // {"id":"s1","prediction":"yes","probabilities":{…},"truth":"no","method":"shares","shares":[…],
  //  "units":[[…],…]}
  // With gradients: "explained":"yes","baseline":-1.2,"value":-0.1,"gap":0.002,"gradients":[…],
  // "features":{"u":[…],…}.
  [[nodiscard]] std::string to_json(const Explanation& made);

  // "prediction yes (97.3 %), truth no"; title() adds the id: "s1: prediction yes …"
  [[nodiscard]] std::string answer(const Explanation& made) const;
  [[nodiscard]] std::string title(const Explanation& made) const;
  // The most important steps first, with their symbols or numbers.
  [[nodiscard]] report::Table top_steps(const Explanation& made, std::size_t count) const;
  // The explained value, its baseline and the unexplained part; empty for shares.
  [[nodiscard]] std::string account(const Explanation& made) const;

  // For all steps: the symbols, or the numbers of a feature in its own unit.
  [[nodiscard]] std::vector<std::string> symbols(const Explanation& made) const;
  [[nodiscard]] std::vector<double> numbers(const Explanation& made, std::size_t feature) const;

 private:
  [[nodiscard]] std::string prediction(const Explanation& made) const;
  [[nodiscard]] std::string forecast(const Prediction& prediction) const;
  [[nodiscard]] std::string weight(const Explanation& made, std::size_t step) const;

  const datasets::Encoding& encoding_;
  OutputDecoder decoder_;
  PredictionFormatter json_;
};

// Explanations as pictures: a page of them, or a single one.
class ExplanationPage {
 public:
  // The model must outlive it. `name` is the model's name on the page.
  ExplanationPage(const Trained& trained, Method method, const std::string& name);

  void add(const Explanation& made);
  [[nodiscard]] const report::Page& page() const { return page_; }

  // Symbols, or the curves of at most twelve features, with the attribution of each step; for
  // shares, also those of the units with the greatest weights on the output.
  [[nodiscard]] report::Steps picture(const Explanation& made) const;
  // The same without the units.
  [[nodiscard]] report::Steps picture_of_steps(const Explanation& made) const;

 private:
  void add_tracks(const Explanation& made, report::Steps& picture) const;
  void add_units(const Explanation& made, report::Steps& picture) const;

  const Trained& trained_;
  ExplanationText text_;
  report::Page page_;
  int count_ = 0;
};

}  // namespace rwa::workflows
