// src/paper/catalogue.h: the paper's nine experiments and those beyond it. They are data,
// paper/*.toml, compiled into the program. Each file is an experiment (training/experiment.h) with
// these tables added:
//   [variant.NAME.…]   settings of another variant of the task, as in the released scripts
//   [[model]]          a network: its name, its changes to [network], and whether it is expected to
//                      learn the task; default: rwa and lstm
//   [quick]            the number of steps of a quick run; absent if a quick run shows nothing
//   [paper]            the figure in the paper (none for experiments beyond it) and its claims
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

// The criterion for beating the baseline: five evaluations in a row must be this good.
struct Beats {
  std::optional<double> accuracy;       // at least this, or
  std::optional<double> loss_fraction;  // at most this fraction of the naive loss
};

// The quantity that a claim is about.
enum class Measure {
  kBeats,         // the step at which the baseline is beaten (Beats)
  kLossBelow,     // the step of the first evaluation with a loss below `threshold`
  kAccuracyFrom,  // the step of the first evaluation with at least this accuracy
  kFinalLoss,     // on the whole test set, after all steps of the experiment
  kFinalAccuracy,
  kParameters,
  kSecondsPerStep,
};

// The denominator of a claim about a ratio.
struct Against {
  std::string experiment;  // empty: the claim's own
  std::string model;
};

// What the paper or the authors' logs say of one model: in words, and as a range that counts as
// reproduced. The keys in the files, with tolerances since the numbers are from single runs:
//   at = N, about = N   within a factor of 1.5 (of the error if N is an accuracy)
//   by = N              at most 1.5 N
//   under = N, over = N at most N, at least N
//   exactly = N
//   against = "lstm"    (or "mnist.rwa") the limits apply to the ratio to that measure, and are
//                       exclusive: equally fast is not faster
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
  bool headline = false;  // the one that stands for its experiment in the scoreboard
};

struct NamedModel {
  std::string name;
  training::Network network;
  bool right = false;  // expected to learn the task
};

struct Entry {
  training::Experiment experiment;             // RWA, seed 1, the task as in the paper's text
  std::vector<training::Experiment> variants;  // the others
  std::vector<NamedModel> models;              // run by default
  std::string title;
  std::string summary;         // the input and the target
  std::string script_differs;  // end of a sentence: how the variant "script" differs
  int figure = 0;              // in the paper; 0: beyond it
  std::optional<std::int64_t> quick_steps;
  Beats beats;
  bool log_y = false;
  bool plot_accuracy = false;  // otherwise the loss
  std::vector<Claim> claims;
};

// The paper's two models.
inline constexpr const char* kRwa = "rwa";
inline constexpr const char* kLstm = "lstm";

inline constexpr const char* kText = "text";      // the task as in the paper's text
inline constexpr const char* kScript = "script";  // the task behind the authors' curves

// Parses one file of paper/. Throws ConfigError, which names `origin`, the line and the key, if a
// key is missing, unknown or of the wrong type.
Entry parse_entry(std::string_view toml, std::string_view origin);

// The fields of such a file, or of a study's.
Fields parse_fields(std::string_view toml, std::string_view origin);
// Reads the text, measure and threshold of a claim.
Claim parse_measure(Fields& fields);

// All experiments: the paper's in its order, then those beyond it.
std::span<const Entry> catalogue();
inline bool is_of_paper(const Entry& entry) { return entry.figure > 0; }
// Throws ConfigError that suggests similar names, also from `others`.
const Entry& find(std::string_view name, std::span<const std::string> others = {});

// "text" first, then the others.
std::vector<std::string> variants_of(const Entry& entry);
// The experiment of an entry in another variant. Throws ConfigError for an unknown one.
const training::Experiment& in_variant(const Entry& entry, std::string_view variant);

// The entry's own models, then all other cells.
std::vector<std::string> models_of(const Entry& entry);
// Sets the model's name; stored only if it differs from the name of the cell.
void name_model(training::Experiment& experiment, std::string_view name);
// Returns the experiment with another model. Throws ConfigError for an unknown one.
training::Experiment with_model(const Entry& entry, training::Experiment experiment,
                                std::string_view model);

}  // namespace rwa::paper

// The files of paper/, compiled into the program.
namespace rwa::paper::assets {

struct File {
  std::string_view name;  // "paper/grammar.toml", "paper/studies/step-size.toml"
  std::string_view text;
};

extern const std::span<const File> kFiles;
inline constexpr std::string_view kStudies = "paper/studies/";  // prefix of the studies' names

}  // namespace rwa::paper::assets
