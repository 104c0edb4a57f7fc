// src/paper/evidence.h: the evidence for the paper's claims: runs, and the authors' curves.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "datasets/dataset.h"
#include "paper/catalogue.h"
#include "paper/curves.h"
#include "report/chart.h"
#include "training/run_folder.h"

namespace rwa::paper {

struct Key {
  std::string experiment;
  std::string variant;  // or study
  std::string model;    // or a study's case

  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.experiment, a.variant, a.model) < std::tie(b.experiment, b.variant, b.model);
  }
};

// The measurements of one training run. The authors' runs have only the curve.
struct Evidence {
  TestCurve curve;
  datasets::Naive naive;       // of the variant that was run
  std::optional<Point> final;  // on the whole test set, after all steps of the experiment
  std::optional<double> parameters, seconds_per_step;
  std::string machine;
};

// Runs with the same key differ in seed, and possibly in length.
using Library = std::map<Key, std::vector<Evidence>>;
using Runs = std::map<Key, std::vector<const training::Record*>>;

// Runs that match the catalogue or a study except for seed, device and length: the longest run of
// each seed, sorted by seed. The others are left out, with the reason.
struct Sorted {
  Runs runs;
  std::vector<std::string> left_out;
};
Sorted sort_runs(const std::vector<training::Record>& records);

Evidence evidence_of(const training::Record& run);  // one of the sorted runs
Library evidence_of(const Runs& runs);
// Reads NAME.MODEL.csv from the folder; no evidence if `folder` is empty.
Library evidence_of_authors(const std::filesystem::path& folder);

using report::median;

}  // namespace rwa::paper
