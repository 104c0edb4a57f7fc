// src/paper/study.h: studies of questions that the paper leaves open. Each is a file,
// paper/studies/NAME.toml: experiments of the catalogue, changes to them, and what to show.
//
//   title = "…"
//   question = "…"
//   draw = "curves"                     # training curves; or "measure", "gradients"
//   x = "training.learning_rate"        # with "measure": the x axis
//
//   [[experiment]]
//   name = "adding-100"                 # in the catalogue
//   steps = 3_000
//   measure = [{ text = "MSE below 0.01", measure = "loss-below", threshold = 0.01 }, …]
//
//   [[run]]                             # each of these on each experiment,
//   name = "rwa-forget-0.5"
//   network = { cell = "rwa-forget", lasting = 0.5 }
//
//   [vary]                              # or all combinations of these
//   network.cell = ["rwa", "lstm"]
//   training.learning_rate = [1e-3, 1e-2]
//
// Runs of a study have its name as their variant, and the name of the case as their model.
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
  kMeasure,    // the first measure of each experiment against x
  kGradients,  // gradients.h
};

// One set of changes to the experiments.
struct Case {
  std::string name, label;  // "rwa-clip_norm-0", "RWA, clip norm 0"
  // The curve that the case belongs to when drawn against x.
  std::string curve, curve_label;
  double x = 0;
};

// An experiment of the catalogue with the study's changes.
struct StudyExperiment {
  std::string name;
  std::vector<Claim> measures;             // without claimed values
  std::vector<training::Experiment> runs;  // one per case
};

struct Study {
  std::string name, title, question;
  Draw draw = Draw::kCurves;
  std::string x;  // with kMeasure
  std::vector<Case> cases;
  std::vector<StudyExperiment> experiments;
};

// Throws ConfigError, which names `origin`, the line and the key, if a key is missing, unknown or
// of the wrong type.
Study parse_study(std::string_view toml, std::string_view name, std::string_view origin);

// Sorted by name.
std::span<const Study> studies();
std::vector<std::string> names_of_studies();
const Study* find_study(std::string_view name);  // nullptr if unknown

// The experiment of this name, variant (or study) and model (or case). Throws ConfigError if there
// is none.
training::Experiment experiment_of(const std::string& name, const std::string& variant,
                                   const std::string& model);

}  // namespace rwa::paper
