// src/workflows/training_page_examples.cc: the hardest examples in the report of a training, drawn
// with the share of every step.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/text.h"
#include "workflows/explain.h"
#include "workflows/explain_report.h"
#include "workflows/forecasts.h"
#include "workflows/training_page.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kMostDrawn = 5;
constexpr int kMostSteps = 5000;  // explaining longer sequences may take minutes

std::string title_of(const datasets::Encoding& encoding, const HardExample& example,
                     const formats::Sequence& sequence) {
  std::string place;
  if (example.step > 0) place = fmt::format(", step {}", report::in_thousands(example.step));
  if (encoding.forecast.is_needed()) {
    const auto times = times_ahead(encoding, sequence);
    place = " from " + name_of_step(encoding, times, example.from, 0);
  }
  return fmt::format("{}{}: predicted {}, truth {}", example.id, place, example.prediction,
                     example.truth);
}

// Of one part, whose model is loaded once.
void draw(const std::vector<HardInPart>& hard, std::vector<report::Steps>& pictures) {
  const HeldOutPart& part = *hard.front().part;
  const Trained trained{part.run->model(), part.files->encoding()};
  std::vector<Sample> samples;
  std::vector<std::string> titles;
  for (const HardInPart& one : hard) {
    Sample sample;
    read_sample(*part.files, held_out(*part.files), one.example->number, sample);
    if (sample.sequence.steps == 0 || sample.sequence.steps > kMostSteps) continue;
    titles.push_back(title_of(trained.encoding, *one.example, sample.sequence));
    // A picture of a forecast shows the steps before it.
    if (trained.encoding.forecast.is_needed()) sample.from -= sample.sequence.steps;
    samples.push_back(std::move(sample));
  }
  const auto made = explain(trained, samples, 1);
  if (made.empty()) return;
  const ExplanationPage drawing(trained, made.front().method, "");
  for (std::size_t i = 0; i < made.size(); ++i) {
    report::Steps picture = drawing.picture_of_steps(made[i]);
    picture.title = titles[i];
    pictures.push_back(std::move(picture));
  }
}

}  // namespace

void add_examples(const std::vector<HeldOutPart>& parts, report::Page& page) {
  std::vector<HardInPart> hard = hardest_of(parts);
  std::erase_if(hard, [](const HardInPart& one) { return one.part->run == nullptr; });
  hard.resize(std::min(hard.size(), kMostDrawn));
  std::vector<report::Steps> pictures;
  for (const HeldOutPart& part : parts) {
    std::vector<HardInPart> own = hard;
    std::erase_if(own, [&](const HardInPart& one) { return one.part != &part; });
    if (!own.empty()) draw(own, pictures);
  }
  if (pictures.empty()) return;
  page.blocks.emplace_back(report::Heading{"What the model looked at", "looked-at"});
  const bool shares = pictures.front().weights_are == "share";
  page.blocks.emplace_back(report::Text{fmt::format(
      "The hardest examples, with the {} of every step. rwa explain draws any sequence.",
      shares ? "share that the averages of the network give to" : "attribution")});
  for (report::Steps& picture : pictures) page.blocks.emplace_back(std::move(picture));
}

}  // namespace rwa::workflows
