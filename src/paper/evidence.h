// src/paper/evidence.h: what there is to judge the paper's claims by: our runs, and the authors'
// curves.
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
#include "training/run_folder.h"

namespace rwa::paper {

struct Key {
  std::string experiment;
  std::string variant;  // or study
  std::string model;    // or its case

  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.experiment, a.variant, a.model) < std::tie(b.experiment, b.variant, b.model);
  }
};

// What one training run can say; of the authors' there is the curve alone.
struct Evidence {
  TestCurve curve;
  datasets::Naive naive;       // of the variant that was run
  std::optional<Point> final;  // whole test set, after all the steps of the experiment
  std::optional<double> parameters, seconds_per_step;
  std::string machine;
};

// Runs of one key differ in their seeds, and may differ in their lengths.
using Library = std::map<Key, std::vector<Evidence>>;
using Runs = std::map<Key, std::vector<const training::Record*>>;

// Runs that are the catalogue's or a study's but for seed, device and length, by seed, and of each
// seed the longest; and the others, with the reason in words.
struct Sorted {
  Runs runs;
  std::vector<std::string> left_out;
};
Sorted sort_runs(const std::vector<training::Record>& records);

Evidence evidence_of(const training::Record& run);  // of one of these
Library evidence_of(const Runs& runs);
// From a folder with NAME.MODEL.csv; empty: none.
Library evidence_of_authors(const std::filesystem::path& folder);

// Of at least one number, such as one for each seed.
double median(std::vector<double> values);

}  // namespace rwa::paper
