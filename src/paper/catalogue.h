// src/paper/catalogue.h: the paper's nine experiments, and those that go beyond it. They are data,
// paper/*.toml, and are carried inside the program. Each file is an experiment (run/experiment.h)
// and more:
//   [variant.NAME.…]   what another variant of the task changes, as in the released scripts
//   [[model]]          a network for it: its name, what it changes in [network], and whether it is
//                      expected to learn the task; absent: rwa and lstm
//   [quick]            the length of a first look; absent where none is worth it
//   [paper]            where it stands in the paper (those beyond it have no figure there), and what
//                      the paper says about it
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"
#include "io/fields.h"
#include "training/experiment.h"

namespace rwa::paper {

using io::Fields;

// What it takes to beat the baseline: the first of five evaluations in a row that are this good.
struct Beats {
  std::optional<double> accuracy;       // at least this, or
  std::optional<double> loss_fraction;  // at most this fraction of the naive loss
};

// What a claim is about.
enum class Measure {
  kBeats,         // the step at which the baseline is beaten (Beats)
  kLossBelow,     // the step of the first evaluation with a loss below `threshold`
  kAccuracyFrom,  // the step of the first evaluation with at least this accuracy
  kFinalLoss,     // on the whole test set, after all steps of the experiment
  kFinalAccuracy,
  kParameters,
  kSecondsPerStep,
};

// Whose measure divides a measure that is only claimed in comparison.
struct Against {
  std::string experiment;  // empty: the same
  std::string model;
};

// What the paper, or the authors' logs, say of one model: in words, and as a range that counts as
// the same. In the files, with numbers from single runs without a seed in mind:
//   at = N, about = N   within a factor of 1.5 (of the error, where N is an accuracy)
//   by = N              at most 1.5 N
//   under = N, over = N at most N, at least N
//   exactly = N
//   against = "lstm"    (or "mnist.rwa") the limits are for the ratio to the measure there, and are
//                       themselves outside: as fast is not faster
struct Said {
  std::string words;
  double at_least = 0;
  double at_most = std::numeric_limits<double>::infinity();
  std::optional<Against> against;
};

struct Claim {
  std::string text;    // "beats the baseline", "MSE below 0.01"
  std::string source;  // "paper" or "logs"
  Measure measure = Measure::kBeats;
  double threshold = 0;
  std::optional<Said> rwa, lstm;
};

// A network of an entry.
struct NamedModel {
  std::string name;
  training::Network network;
  bool right = false;  // expected to learn the task
};

struct Entry {
  training::Experiment experiment;             // RWA, seed 1, the variant of the paper's text
  std::vector<training::Experiment> variants;  // the others
  std::vector<NamedModel> models;              // that are run where none is asked for
  std::string title;
  std::string summary;         // one sentence: what comes in, what is wanted
  std::string script_differs;  // the end of a sentence: what the variant "script" changes
  int figure = 0;              // of the paper; 0: beyond it
  std::optional<std::int64_t> quick_steps;
  Beats beats;
  bool log_y = false;
  bool plot_accuracy = false;  // otherwise the loss
  std::vector<Claim> claims;
};

// The paper's two models.
inline constexpr const char* kRwa = "rwa";
inline constexpr const char* kLstm = "lstm";

inline constexpr const char* kText = "text";      // the task as the paper has it
inline constexpr const char* kScript = "script";  // and as behind the authors' curves

// One file of paper/. Throws ConfigError, which names `origin`, the line and the key, for whatever
// is missing, of another type or unknown.
Entry parse_entry(std::string_view toml, std::string_view origin);

// The fields of such a file, and of one about a study.
Fields parse_fields(std::string_view toml, std::string_view origin);
// What a claim is about: its text, measure and threshold.
Claim parse_measure(Fields& fields);

// In the paper's order, and then those beyond it.
std::span<const Entry> catalogue();
inline bool is_of_paper(const Entry& entry) { return entry.figure > 0; }
// Throws ConfigError with the nearest names, of these and of `others`.
const Entry& find(std::string_view name, std::span<const std::string> others = {});

// "text", and the others.
std::vector<std::string> variants_of(const Entry& entry);
// The experiment of an entry in another variant. Throws ConfigError for an unknown one.
const training::Experiment& in_variant(const Entry& entry, std::string_view variant);

// The entry's own models, and then every other cell.
std::vector<std::string> models_of(const Entry& entry);
// A model that is called as its cell needs no other name.
void name_model(training::Experiment& experiment, std::string_view name);
// The same for another model. Throws ConfigError for an unknown one.
training::Experiment with_model(const Entry& entry, training::Experiment experiment,
                                std::string_view model);

}  // namespace rwa::paper

// The files of paper/, carried inside the program.
namespace rwa::paper::assets {

struct File {
  std::string_view name;  // "paper/grammar.toml", "paper/studies/step-size.toml"
  std::string_view text;
};

extern const std::span<const File> kFiles;
inline constexpr std::string_view kStudies = "paper/studies/";  // how the names of those begin

}  // namespace rwa::paper::assets
