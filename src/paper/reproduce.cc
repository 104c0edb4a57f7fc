#include "paper/reproduce.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rwa::paper {
namespace {

// The command-line options for these seeds, one string per contiguous range.
std::vector<std::string> seed_options(const std::set<std::uint64_t>& seeds) {
  std::vector<std::string> options;
  for (auto first = seeds.begin(); first != seeds.end();) {
    std::uint64_t count = 0;
    auto next = first;
    while (next != seeds.end() && *next == *first + count) {
      ++next;
      ++count;
    }
    options.emplace_back();
    if (*first != 1) options.back() += fmt::format(" --seed {}", *first);
    if (count > 1) options.back() += fmt::format(" --seeds {}", count);
    first = next;
  }
  return options;
}

// " --model gru,lstm"; empty if these are all models, the default.
template <class Named>
std::string model_option(const std::vector<std::string>& models, const std::vector<Named>& all) {
  if (std::ranges::equal(models, all, {}, {}, &Named::name)) return "";
  return fmt::format(" --model {}", fmt::join(models, ","));
}

// The cases that were run, in the order of the study.
std::vector<std::string> models_of(const StudyResult& result) {
  std::vector<std::string> models;
  for (const Case& one : result.study->cases) {
    const auto is_of_case = [&](const training::Record* run) {
      return training::model_name(run->experiment) == one.name;
    };
    if (std::ranges::any_of(result.runs, is_of_case)) models.push_back(one.name);
  }
  return models;
}

std::string device_option(const RunList& runs) {
  const std::set<std::string> devices = devices_of(runs);
  return devices.size() == 1 && !devices.contains("cpu") ? " --device " + *devices.begin() : "";
}

// The command, once for each range of seeds.
std::string with_seeds(const std::string& command, const RunList& runs) {
  std::vector<std::string> commands = seed_options(seeds_of(runs));
  for (std::string& options : commands) options.insert(0, command);
  return fmt::format("{}", fmt::join(commands, "\n"));
}

}  // namespace

std::string commands_of(const Section& section) {
  const Entry& entry = *section.entry;
  std::int64_t steps = 0;
  for (const training::Record* run : section.runs) {
    steps = std::max(steps, run->experiment.training.steps);
  }
  std::string command = "rwa paper run " + entry.experiment.name;
  if (section.variant != kText) command += " --variant " + section.variant;
  command += model_option(section.models, entry.models);
  if (steps != entry.experiment.training.steps) command += fmt::format(" --steps {}", steps);
  return with_seeds(command + device_option(section.runs), section.runs);
}

std::string commands_of(const StudyResult& result) {
  const Study& study = *result.study;
  return with_seeds("rwa paper run " + study.name + model_option(models_of(result), study.cases) +
                        device_option(result.runs),
                    result.runs);
}

}  // namespace rwa::paper
