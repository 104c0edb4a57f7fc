// src/paper/study.h: questions that the paper leaves open. Each is a file, paper/studies/NAME.toml:
// experiments of the catalogue, changed in several ways, and what of the runs is shown.
//
//   title = "…"
//   question = "…"
//   draw = "curves"                     # what is trained against steps; or "measure", "gradients"
//   x = "training.learning_rate"        # with "measure": against what
//
//   [[experiment]]
//   name = "adding-100"                 # of the catalogue
//   steps = 3_000
//   measure = [{ text = "MSE below 0.01", measure = "loss-below", threshold = 0.01 }, …]
//
//   [[run]]                             # every one of these, on each of the experiments,
//   name = "rwa-forget-0.5"
//   network = { cell = "rwa-forget", lasting = 0.5 }
//
//   [vary]                              # or every combination of these
//   network.cell = ["rwa", "lstm"]
//   training.learning_rate = [1e-3, 1e-2]
//
// The runs are experiments with the study's name as their variant, and with the name of the case as
// their model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paper/catalogue.h"
#include "training/experiment.h"

namespace rwa::paper {

enum class Draw {
  kCurves,     // training curves
  kMeasure,    // each experiment's first measure, against what is varied
  kGradients,  // gradients.h
};

// One of the ways in which the experiments are changed.
struct Case {
  std::string name, label;  // "rwa-clip_norm-0", "RWA, clip norm 0"
  // What is drawn against x belongs to the curve of this name.
  std::string curve, curve_label;
  double x = 0;
};

// One of the experiments of the catalogue that are changed.
struct StudyExperiment {
  std::string name;
  std::vector<Claim> measures;             // that nobody has claimed anything about
  std::vector<training::Experiment> runs;  // for each case
};

struct Study {
  std::string name, title, question;
  Draw draw = Draw::kCurves;
  std::string x;  // with kMeasure
  std::vector<Case> cases;
  std::vector<StudyExperiment> experiments;
};

// Throws ConfigError, which names `origin`, the line and the key, for whatever is missing, of
// another type or unknown.
Study parse_study(std::string_view toml, std::string_view name, std::string_view origin);

// By name.
std::span<const Study> studies();
std::vector<std::string> names_of_studies();
const Study* find_study(std::string_view name);  // or nullptr

// What is run under this name, in this variant, which may be a study, by this model, which may be
// one of its cases. Throws ConfigError where nothing is.
training::Experiment experiment_of(const std::string& name, const std::string& variant,
                                   const std::string& model);

}  // namespace rwa::paper
