// src/workflows/explain_page.h: explanations to look at: a page of them, or the picture of one.
#pragma once

#include <string>

#include "report/page.h"
#include "workflows/explain_text.h"

namespace rwa::workflows {

class ExplanationPage {
 public:
  // The model must outlive it; `name` is what it is called on the page.
  ExplanationPage(const Trained& trained, Method method, const std::string& name);

  void add(const Explanation& made);
  [[nodiscard]] const report::Page& page() const { return page_; }

  // Symbols, or the curves of at most twelve features, with how much each step counts; of shares, also
  // those of the units with the greatest weights on what is explained.
  [[nodiscard]] report::Steps picture(const Explanation& made) const;

 private:
  void add_tracks(const Explanation& made, report::Steps& picture) const;
  void add_units(const Explanation& made, report::Steps& picture) const;

  const Trained& trained_;
  ExplanationText text_;
  report::Page page_;
  int count_ = 0;
};

}  // namespace rwa::workflows
