// src/paper/section.h: the runs of one experiment, and what is said of runs in tables and on the
// page.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "paper/catalogue.h"
#include "paper/evidence.h"
#include "training/run_folder.h"

namespace rwa::paper {

using RunList = std::vector<const training::Record*>;

// The runs of one experiment in one variant.
struct Section {
  const Entry* entry;
  std::string variant;
  std::vector<std::string> models;
  RunList runs;  // model by model, each by seed
};

// In the order of the catalogue.
std::vector<Section> sections_of(const Runs& runs, const Library& ours);
// Those of the paper's experiments, or the others.
std::vector<Section> of_paper(std::vector<Section> sections, bool wanted);

std::string id_of(const Section& section);
Key key_of(const Section& section, const std::string& model);
RunList runs_by(const Section& section, const std::string& model);

std::set<std::uint64_t> seeds_of(const RunList& runs);
std::int64_t most_steps(const RunList& runs);
std::set<std::string> machines_of(const RunList& runs);
std::set<std::string> devices_of(const RunList& runs);
bool is_timed(const training::Record& run);
double steps_per_second(const training::Record& run);

std::string loss_in_words(const training::Metric& metric);  // "0.012 MSE"
std::string steps_in_words(std::int64_t steps);             // "12,000"
std::string seeds_in_words(const RunList& runs);            // "seeds 1, 2, 3"

}  // namespace rwa::paper
