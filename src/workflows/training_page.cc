#include "workflows/training_page.h"

#include "workflows/tune_space.h"

namespace rwa::workflows {

report::Page training_page(const PageContent& content) {
  const training::Experiment& experiment = content.run.experiment;
  report::Page page{.title = experiment.name, .subtitle = in_words(experiment)};
  add_card(content, page);
  add_forecasts(content, page);
  add_scores(content, page);
  add_examples(content.parts, page);
  add_curves(content, page);
  add_data(training::files_task(experiment), content.files, page);
  add_settings(content.run, page);
  return page;
}

}  // namespace rwa::workflows
