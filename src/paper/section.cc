#include "paper/section.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "paper/charts.h"
#include "paper/words.h"

namespace rwa::paper {

std::vector<Section> sections_of(const Runs& runs, const Library& ours) {
  std::vector<Section> sections;
  for (const Entry& entry : catalogue()) {
    for (const std::string& variant : variants_run(entry, ours)) {
      Section section{&entry, variant, models_run(entry, variant, ours), {}};
      for (const std::string& model : section.models) {
        const auto& of_model = runs.at({entry.experiment.name, variant, model});
        std::ranges::copy(of_model, std::back_inserter(section.runs));
      }
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

Key key_of(const Section& section, const std::string& model) {
  return {section.entry->experiment.name, section.variant, model};
}

std::string id_of(const Section& section) {
  return paper::id_of(in_variant(*section.entry, section.variant));
}

std::set<std::uint64_t> seeds_of(const RunList& runs) {
  std::set<std::uint64_t> seeds;
  for (const training::Record* run : runs) seeds.insert(run->experiment.seed);
  return seeds;
}

std::int64_t most_steps(const RunList& runs) {
  std::int64_t steps = 0;
  for (const training::Record* run : runs) steps = std::max(steps, run->steps);
  return steps;
}

RunList runs_by(const Section& section, const std::string& model) {
  RunList runs = section.runs;
  std::erase_if(runs, [&](const training::Record* run) {
    return training::model_name(run->experiment) != model;
  });
  return runs;
}

std::vector<Section> of_paper(std::vector<Section> sections, bool wanted) {
  std::erase_if(sections, [&](const Section& one) { return is_of_paper(*one.entry) != wanted; });
  return sections;
}

std::set<std::string> machines_of(const RunList& runs) {
  std::set<std::string> machines;
  for (const training::Record* run : runs) {
    machines.insert(run->machine.empty() ? "an unknown machine" : run->machine);
  }
  return machines;
}

std::set<std::string> devices_of(const RunList& runs) {
  std::set<std::string> devices;
  for (const training::Record* run : runs) devices.insert(run->experiment.device);
  return devices;
}

bool is_timed(const training::Record& run) { return run.steps > 0 && run.train_seconds > 0; }
double steps_per_second(const training::Record& run) {
  return static_cast<double>(run.steps) / run.train_seconds;
}

std::string loss_in_words(const training::Metric& metric) {
  return fmt::format("{} {}", in_digits(metric.loss), report::unit_name(metric.unit));
}

std::string steps_in_words(std::int64_t steps) { return in_thousands(static_cast<double>(steps)); }

std::string seeds_in_words(const RunList& runs) {
  const auto seeds = seeds_of(runs);
  return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

}  // namespace rwa::paper
