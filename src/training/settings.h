// src/training/settings.h: the settings of an experiment, each named once. Configuration files, the
// program's options, Python's keyword arguments and the C API's JSON are all read with this list;
// experiments are written and compared with it. A new setting is a line here; a new task is a
// function and a name.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/names.h"
#include "datasets/encoding.h"
#include "formats/schema.h"
#include "io/fields.h"
#include "io/range.h"
#include "io/value.h"
#include "model/network_spec.h"
#include "training/experiment.h"

namespace rwa::training {

template <class T>
concept Enumeration = std::is_enum_v<T>;
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

// The sections of `--help`.
enum class Group { kRun, kData, kReading, kPreparation, kNetwork, kTraining };
std::string_view to_string(Group group);

// How a setting is presented. A setting without help is for configuration files only.
struct Setting {
  using Choices = std::vector<std::string> (*)();

  std::string_view name;
  std::string_view help = {};
  Choices choices = nullptr;  // the names that a text may be, besides empty
  bool (*is_valid)(std::string_view text) = nullptr;
  std::string_view expected = {};  // of a valid text
  bool kept = true;                // false: it only determines another setting, and is not written

  // Implicit: most fields of tasks have only a name.
  constexpr Setting(const char* name_only) : name(name_only) {}
  constexpr Setting(const char* its_name, std::string_view its_help, Choices its_choices = nullptr)
      : name(its_name), help(its_help), choices(its_choices) {}
  static constexpr Setting checked(const char* name, std::string_view help,
                                   bool (*is_valid)(std::string_view), std::string_view expected) {
    Setting setting(name, help);
    setting.is_valid = is_valid;
    setting.expected = expected;
    return setting;
  }
  static constexpr Setting not_kept(const char* name, std::string_view help) {
    Setting setting(name, help);
    setting.kept = false;
    return setting;
  }
};

// A whole number is visited with its least and its most value, any other number with its range. The
// limits are far beyond any use: they keep a slip of the finger from taking all memory. Tasks that
// are generated (tasks/) check their own, which depend on one another.

inline constexpr int kMostInBatch = 1 << 20;  // sequences
inline constexpr int kMostContext = 10'000;   // steps
inline constexpr int kMostPositions = 1000;
inline constexpr int kMostLength = 1'000'000'000;  // steps of a sequence
inline constexpr int kMostPatience = 1'000'000;
inline constexpr int kMostDays = 1000;  // of a training
inline constexpr std::int64_t kMostSteps = 1'000'000'000'000;
inline constexpr std::uint64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
// The seed of another run of the same experiment: after the last one comes 0.
constexpr std::uint64_t seed_after(std::uint64_t seed, int runs) {
  return (seed + static_cast<std::uint64_t>(runs)) & kMostSeed;
}

using Real = io::Range<double>;
inline constexpr double kHuge = 1e30;  // as in rwa/trainer.h
inline constexpr Real kShare{.least = 0, .most = 1};
inline constexpr Real kLessThanOne{.least = 0, .most = 1, .without_most = true};
inline constexpr Real kBetweenNoneAndAll{
    .least = 0, .most = 1, .without_least = true, .without_most = true};

template <class Visitor>
void describe(tasks::GrammarTask& task, Visitor& visit) {
  visit("train", task.train, 1);
  visit("test", task.test, 1);
  visit("cut_test_by_first_length", task.cut_test_by_first_length);
}

template <class Visitor>
void describe(tasks::LengthTask& task, Visitor& visit) {
  visit("longest", task.longest, 1);
  visit("threshold", task.threshold, 0);
  visit("values", task.values);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::CopyTask& task, Visitor& visit) {
  visit("remember", task.remember, 1);
  visit("delay", task.delay, 1);
  visit("symbols", task.symbols, 2);
  visit("delimiter_places", task.delimiter_places, 1);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::AddingTask& task, Visitor& visit) {
  visit("steps", task.steps, 2);
  visit("order", task.order);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::MnistTask& task, Visitor& visit) {
  visit("permuted", task.permuted);
}

template <class Visitor>
void describe(tasks::MultiCopyTask& task, Visitor& visit) {
  visit("episodes", task.episodes, 1);
  visit("test_episodes", task.test_episodes, 1);
  visit("remember", task.remember, 1);
  visit("delay", task.delay, 1);
  visit("symbols", task.symbols, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::XorTask& task, Visitor& visit) {
  visit("steps", task.steps, 1);
  visit("bits", task.bits, 1);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::LookAheadTask& task, Visitor& visit) {
  visit("steps", task.steps, 2);
  visit("ahead", task.ahead, 1);
  visit("symbols", task.symbols, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::AutoencodeTask& task, Visitor& visit) {
  visit("shortest", task.shortest, 0);
  visit("longest", task.longest, 1);
  visit("symbols", task.symbols, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::SpellingTask& task, Visitor& visit) {
  visit("numbers", task.numbers, 1);
  visit("digits", task.digits, 1);
  visit("base", task.base, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe_reading(datasets::FilesTask& task, Visitor& visit) {
  visit.group(Group::kReading);
  visit({"format", "File format", all_names<formats::Format>}, task.format);
  visit({"layout",
         "Tables: a row per step (long) or per sequence (wide). Arrays: order of the axes n "
         "(sequence), t "
         "(step), c (channel)",
         all_names<formats::Layout>},
        task.layout);
  visit(
      {"task",
       "What to learn: the steps that follow; per sequence a class, labels or numbers; per step a "
       "class or numbers; the next step, at every step",
       datasets::task_names},
      task.task);
  visit({"target", "Columns to predict; of a forecast, features (default: all)"}, task.target);
  visit({"features", "Columns to learn from"}, task.features);
  visit({"id", "Column with the id of each row's sequence"}, task.id);
  visit({"time", "Column of times; rows must be sorted by it. Not used as a feature"}, task.time);
  visit({"label_from",
         "Where to find labels: file or folder (its name), header or header:N (the header, or its "
         "Nth "
         "word), or the path of a table of ids and labels"},
        task.label_from);
  visit({"decimal", "Decimal mark of numbers in tables",
         [] {
           return std::vector<std::string>{".", ","};
         }},
        task.decimal);
  visit({"kmer", "Read text as overlapping k-mers of this many letters"}, task.kmer, 1,
        formats::kMostKmer);
  visit({"tokens", "Split text into characters, or into words and punctuation marks",
         all_names<formats::Tokens>},
        task.tokens);
  visit({"lower", "Read text in lower case"}, task.lower);
}

template <class Visitor>
void describe_preparation(datasets::FilesTask& task, Visitor& visit) {
  visit.group(Group::kPreparation);
  visit({"context", "Feed this many steps at a time: the current one and the ones before it"},
        task.context, 1, kMostContext);
  visit({"positions", "Add this many features that encode a step's position (0: none)"},
        task.positions, 0, kMostPositions);
  visit(
      {"scale",
       "Standardise numbers over each sequence, over the training data, or not (default: sequence "
       "if deviations differ by orders of magnitude between sequences, else data)",
       all_names<datasets::Scale>},
      task.scale);
  visit({"missing", "Missing numbers: an error, the previous step's number, or the mean",
         all_names<datasets::Missing>},
        task.missing);
  visit({"window",
         "Cut sequences into windows of this many steps (0: off); forecasts: steps seen before a "
         "forecast (0: three seasons)"},
        task.window, 0, kMostLength);
  visit({"stride",
         "Steps from the start of one window to the next (0: the window size; forecasts: 1)"},
        task.stride, 0, kMostLength);
  visit({"horizon", "Forecast this many steps (0: as the file, the calendar or the season says)"},
        task.horizon, 0, datasets::Forecast::kMostSteps);
  visit({"season", "Length of the season of series to forecast (0: guessed; 1: none)"}, task.season,
        0, datasets::Forecast::kMostSteps);
  visit({"interval", "Forecast intervals that hold this share of the numbers"}, task.interval,
        kBetweenNoneAndAll);
  visit("interval_scale", task.interval_scale, Real{.least = 0});
  visit({"split",
         "Fraction of the sequences of each class to hold out for validation, without --valid; of "
         "the steps of each series, its end (0: none; else at least 0.01, or with --folds the next "
         "fold)"},
        task.split, Real{.least = 0, .most = datasets::kMostSplit});
  visit({"balance", "Oversample so that every class is seen equally often"}, task.balance);
}

template <class Visitor>
void describe(datasets::FilesTask& task, Visitor& visit) {
  visit.group(Group::kData);
  visit({"train", "Training data: files, a folder, or - for standard input"}, task.train);
  visit({"valid", "Validation data"}, task.valid);
  visit({"test", "Test data, for the final score"}, task.test);
  describe_reading(task, visit);
  describe_preparation(task, visit);
  visit.group(Group::kData);
  visit({"folds",
         "Cross-validate with this many folds, at least 2 (0: off); forecasts: from this many "
         "origins in time"},
        task.folds, 0, datasets::kMostFolds);
  visit("fold", task.fold, 0, datasets::kMostFolds);
  visit("split_seed", task.split_seed, 0, kMostSeed);
  visit("sha256", task.sha256);
}

// In the order of tasks::Task.
inline constexpr std::array<std::string_view, std::variant_size_v<tasks::Task>> kKinds = {
    "grammar", "length",     "copy",       "adding",   "mnist", "multi-copy",
    "xor",     "look-ahead", "autoencode", "spelling", "files"};

template <class Visitor>
void describe(Network& network, Visitor& visit) {
  visit.group(Group::kNetwork);
  visit({"cell", "Recurrent cell"}, network.cell);
  visit({"activation", "Activation of a unit's output"}, network.activation);
  visit({"units", "Units per layer and direction"}, network.units, 1, kMostSize);
  visit({"layers", "Number of recurrent layers"}, network.layers, 0, kMostLayers);
  visit({"bidirectional", "Read sequences in both directions"}, network.bidirectional);
  visit({"dropout", "Dropout between layers (0: none)"}, network.dropout, kLessThanOne);
  visit({"embedding", "Size of the learned embedding of symbols (0: one-hot)"}, network.embedding,
        0, kMostSize);
  visit(
      Setting::checked(
          "stem",
          "Kernel sizes of causal convolutions before the recurrent layers, e.g. 15,9,5 (0: none)",
          is_stem, kStem),
      network.stem);
  visit({"channels", "Outputs of each convolution of the stem"}, network.channels, 1, kMostSize);
  visit({"span",
         "rwa-forget, rwa-decay: longest initial half-life, in steps (0: the longest sequence)"},
        network.span, 0, kMostLength);
  visit({"lasting", "rwa-forget, rwa-decay: fraction of units that initially never forget"},
        network.lasting, kShare);
  visit({"learned_decay", "rwa-decay: train the half-lives"}, network.learned_decay);
  visit({"readout",
         "What the output layer sees: the last step, each step, or a plain or learned average"},
        network.readout);
  visit("code", network.code, 0, kMostSize);
}

template <class Visitor>
void describe(Training& training, Visitor& visit) {
  visit.group(Group::kTraining);
  visit(Setting::not_kept("epochs", "Maximum number of epochs"), training.epochs,
        Real{.least = 0, .most = 1e9, .without_least = true});
  visit({"steps", "Maximum number of training steps (batches), instead of epochs"}, training.steps,
        1, kMostSteps);
  visit({"batch", "Sequences per batch; fewer if memory is short"}, training.batch, 1,
        kMostInBatch);
  visit({"learning_rate", "Initial learning rate"}, training.learning_rate,
        Real{.least = 0, .most = kHuge, .without_least = true, .without_most = true});
  visit({"beta1", "Adam's decay rate of the mean gradient"}, training.beta1, kLessThanOne);
  visit({"beta2", "Adam's decay rate of the mean squared gradient"}, training.beta2, kLessThanOne);
  visit({"epsilon", "Adam's epsilon"}, training.epsilon,
        Real{.least = 1e-37, .most = kHuge, .without_most = true});
  visit({"clip_norm", "Clip gradients to this norm (0: off)"}, training.clip_norm,
        Real{.least = 0, .most = kHuge, .without_most = true});
  visit({"noise", "Deviation of Gaussian noise on standardised numbers in training (0: none)"},
        training.noise, Real{.least = 0, .most = 1000});
  visit(
      {"shift",
       "Shift each sequence in training at random, by up to this fraction of its length (0: none)"},
      training.shift, kLessThanOne);
  visit({"schedule", "Learning-rate schedule; cosine without early stopping"}, training.schedule);
  visit(
      {"truncate", "Truncate backpropagation to this many steps; the state carries over (0: off)"},
      training.truncate, 0, kMostLength);
}

template <class Visitor>
void describe(Evaluation& evaluation, Visitor& visit) {
  visit.group(Group::kTraining);
  visit({"every", "Training steps between validations (default: an epoch, fewer if it is long)"},
        evaluation.every, 1, kMostSteps);
  visit({"samples", "Sequences per batch when scoring"}, evaluation.samples, 1, kMostInBatch);
  visit(
      {"patience", "Stop after this many validations without improvement (early stopping; 0: off)"},
      evaluation.patience, 0, kMostPatience);
  visit("final_draws", evaluation.final_draws);
}

// Tables come last: in TOML the lines after a table header belong to the table.
template <class Visitor>
void describe(Experiment& experiment, Visitor& visit) {
  visit.group(Group::kRun);
  visit({"name", "Name of the run in reports"}, experiment.name);
  visit("variant", experiment.variant);
  visit("model", experiment.model);
  visit({"seed", "Random seed; the same seed repeats a run bit for bit"}, experiment.seed, 0,
        kMostSeed);
  visit({"device", "Device: cpu, cuda or cuda:N"}, experiment.device);
  visit.table("task", experiment.task);
  visit.table("network", experiment.network);
  visit.table("training", experiment.training);
  visit.table("evaluation", experiment.evaluation);
}

// A setting as text, for help and lists.
struct SettingInfo {
  enum class Kind { kTruth, kWhole, kNumber, kText, kTexts, kChoice };

  std::string table;  // empty: none
  std::string name;
  std::string help;  // empty: for configuration files only
  Group group = Group::kRun;
  Kind kind = Kind::kText;
  std::vector<std::string> choices;  // for kChoice and some texts
  std::string range;                 // "1 to 1000", of a number
  io::Value value;
  bool kept = true;

  [[nodiscard]] std::string path() const { return table.empty() ? name : table + "." + name; }
};
// Lists all settings of the experiment, with their values.
std::vector<SettingInfo> list_settings(Experiment experiment);

// The settings that a caller may give: all, or only those for sequences already in memory.
enum class Scope { kFiles, kSequences };
[[nodiscard]] bool is_offered(const SettingInfo& setting, Scope scope);
// The value for help texts. Empty for 0 and empty lists: off, or chosen when the data is known.
[[nodiscard]] std::string default_text(const SettingInfo& setting);

// Values for some settings, from a file, the program's options or a caller, each with its place for
// messages. Later values override earlier ones.
class Overrides {
 public:
  Overrides() = default;
  // From tables as in a configuration file.
  explicit Overrides(io::Value::Table tables);
  // Throws ConfigError with `origin`, line and column if the text is not TOML.
  static Overrides parse(std::string_view toml, std::string_view origin);

  // Takes values by the names of settings alone, without tables, as options and keyword arguments
  // have them. Leaves in `given` what is not offered.
  void take(io::Value::Table& given, Scope scope);
  // Whether a value was taken so, and not read from a file, which may state everything. Returns it
  // with its place; null if not.
  [[nodiscard]] const io::Value* typed(std::string_view path) const;
  // Adds the values of `above`, which replace those already here.
  void add(const Overrides& above);

  // Returns the value of a path such as "training.steps"; null if it is not given.
  [[nodiscard]] const io::Value* get(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const { return get(path) != nullptr; }
  // What messages call a setting that is given: "--steps", "big.toml:3:9: steps".
  [[nodiscard]] std::string name_of(std::string_view path) const;
  void remove(std::string_view path);

  // Sets the given fields of the experiment. Throws ConfigError, with the place, for an unknown
  // name (suggesting the nearest one) and for a value of the wrong type or out of range.
  void apply(Experiment& experiment) const;

 private:
  io::Value::Table tables_;                   // as in a configuration file
  std::set<std::string, std::less<>> typed_;  // paths
};

// Sets those fields of the task that control how files are read.
void set_reading(io::Fields& fields, datasets::FilesTask& task);

// Reads an experiment from a whole configuration, which must have a name and a task.
Experiment read_experiment(io::Value::Table tables, std::string_view origin);

}  // namespace rwa::training
