// src/training/settings.h: the settings of an experiment, each named once. This list is what
// configuration files, the program's options, Python's keyword arguments and the C API's JSON are
// read by, and what an experiment is written and compared by. A new setting is a line here; a new
// task is a function and a name.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/names.h"
#include "datasets/encoding.h"
#include "formats/schema.h"
#include "io/fields.h"
#include "io/value.h"
#include "training/experiment.h"

namespace rwa::training {

template <class T>
concept Enumeration = std::is_enum_v<T>;
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

// Settings that stand together in `--help`.
enum class Group { kRun, kData, kReading, kPreparation, kNetwork, kTraining };
std::string_view to_string(Group group);

// How a setting is presented. One without help stands in configuration files only.
struct Setting {
  using Choices = std::vector<std::string> (*)();

  std::string_view name;
  std::string_view help = {};
  Choices choices = nullptr;  // of a text that is the name of something, or empty
  bool kept = true;           // else it only leads to another one, and is not written

  // Implicit: most of the tasks' own fields have no more than a name.
  constexpr Setting(const char* name_only) : name(name_only) {}
  constexpr Setting(const char* its_name, std::string_view its_help, Choices its_choices = nullptr)
      : name(its_name), help(its_help), choices(its_choices) {}
  static constexpr Setting not_kept(const char* name, std::string_view help) {
    Setting setting(name, help);
    setting.kept = false;
    return setting;
  }
};

// Whole numbers go with the least value they may have. Groups are those of `--help`.

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
         "Whether a row of a table is a step (long) or a sequence (wide); the axes of an array: "
         "case, time, channel",
         all_names<formats::Layout>},
        task.layout);
  visit({"task", "What to learn", all_names<formats::Target>}, task.task);
  visit({"target", "Columns to predict"}, task.target);
  visit({"features", "Columns to learn from"}, task.features);
  visit({"id", "Column that says which sequence a row belongs to"}, task.id);
  visit({"time", "Column with times: rows must be in its order; not used as a feature"}, task.time);
  visit({"label_from",
         "Where labels come from: file, folder, header, header:N, or a table of ids and labels"},
        task.label_from);
  visit({"kmer", "Letters of a symbol: overlapping k-mers of this length"}, task.kmer, 1);
}

template <class Visitor>
void describe_preparation(datasets::FilesTask& task, Visitor& visit) {
  visit.group(Group::kPreparation);
  visit({"context", "Steps seen at once: each step together with the ones before it"}, task.context,
        1);
  visit({"positions", "Features that encode the position of a step in its sequence (0: none)"},
        task.positions, 0);
  visit({"missing", "What to do about missing numbers: an error, the step before, or the mean",
         all_names<datasets::Missing>},
        task.missing);
  visit({"window", "Cut sequences into windows of this many steps (0: off)"}, task.window, 0);
  visit({"stride", "Steps from one window's start to the next (0: the window)"}, task.stride, 0);
  visit({"split", "Fraction of each class held out for validation, without --valid (0: none)"},
        task.split);
  visit({"balance", "Oversample so that every class is seen equally often"}, task.balance);
}

template <class Visitor>
void describe(datasets::FilesTask& task, Visitor& visit) {
  visit.group(Group::kData);
  visit({"train", "Files, a folder, or - for standard input"}, task.train);
  visit({"valid", "Files to validate on"}, task.valid);
  visit({"test", "Files for the final score"}, task.test);
  describe_reading(task, visit);
  describe_preparation(task, visit);
  visit.group(Group::kData);
  visit({"folds", "Cross-validate with this many folds (0: off)"}, task.folds, 0);
  visit("fold", task.fold, 0);
  visit("split_seed", task.split_seed, 0);
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
  visit({"units", "Units of each layer and direction"}, network.units, 1);
  visit({"layers", "Recurrent layers"}, network.layers, 0);
  visit({"bidirectional", "Read sequences in both directions"}, network.bidirectional);
  visit({"dropout", "Dropout between layers"}, network.dropout);
  visit({"embedding", "Size of the learned embedding of a symbol (0: one-hot)"}, network.embedding,
        0);
  visit({"span",
         "Longest half-life that forget gates start with, in steps (0: the longest sequence)"},
        network.span, 0);
  visit({"lasting", "Fraction of units whose forget gates start open"}, network.lasting);
  visit({"learned_decay", "Train the half-lives of rwa-decay"}, network.learned_decay);
  visit({"readout", "What the output layer sees: the last step, or an average over all"},
        network.readout);
  visit("code", network.code, 0);
}

template <class Visitor>
void describe(Training& training, Visitor& visit) {
  visit.group(Group::kTraining);
  visit(Setting::not_kept("epochs", "Maximum number of epochs"), training.epochs);
  visit({"steps", "Maximum number of training steps (batches), instead of epochs"}, training.steps,
        1);
  visit({"batch", "Sequences per batch"}, training.batch, 1);
  visit({"learning_rate", "Initial learning rate"}, training.learning_rate);
  visit({"beta1", "Adam's decay of the mean gradient"}, training.beta1);
  visit({"beta2", "Adam's decay of the mean squared gradient"}, training.beta2);
  visit({"epsilon", "Adam's epsilon"}, training.epsilon);
  visit({"clip_norm", "Clip gradients to this norm (0: off)"}, training.clip_norm);
  visit({"schedule", "Learning-rate schedule"}, training.schedule);
  visit({"truncate",
         "Truncated backpropagation: learn from parts of this many steps, carrying the state over "
         "(0: off)"},
        training.truncate, 0);
}

template <class Visitor>
void describe(Evaluation& evaluation, Visitor& visit) {
  visit.group(Group::kTraining);
  visit({"every", "Steps between validations"}, evaluation.every, 1);
  visit({"samples", "Sequences scored at a time"}, evaluation.samples, 1);
  visit(
      {"patience", "Stop after this many validations without improvement (early stopping; 0: off)"},
      evaluation.patience, 0);
  visit("final_draws", evaluation.final_draws);
}

// Tables come last: in TOML what follows one belongs to it.
template <class Visitor>
void describe(Experiment& experiment, Visitor& visit) {
  visit.group(Group::kRun);
  visit({"name", "Name of the run, in reports"}, experiment.name);
  visit("variant", experiment.variant);
  visit("model", experiment.model);
  visit({"seed", "Random seed: the same seed gives the same bits"}, experiment.seed, 0);
  visit({"device", "cpu, cuda or cuda:N"}, experiment.device);
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
  std::string help;  // empty: it stands in configuration files only
  Group group = Group::kRun;
  Kind kind = Kind::kText;
  std::vector<std::string> choices;  // of kChoice, and of some texts
  io::Value value;
  bool kept = true;

  [[nodiscard]] std::string path() const { return table.empty() ? name : table + "." + name; }
};
// All settings that an experiment with such a task has, with its values.
std::vector<SettingInfo> list_settings(Experiment experiment);

// Which of the settings of an experiment on files a caller may give: all, or those of sequences that
// are in memory already.
enum class Scope { kFiles, kSequences };
[[nodiscard]] bool is_offered(const SettingInfo& setting, Scope scope);

// Values that a file, the program's options or a caller give to some settings, and where each
// stands. Later ones come before earlier ones.
class Overrides {
 public:
  Overrides() = default;
  // By tables, as in a configuration file.
  explicit Overrides(io::Value::Table tables);
  // Throws ConfigError with `origin`, line and column for text that is not TOML.
  static Overrides parse(std::string_view toml, std::string_view origin);

  // By their names alone, as options and keyword arguments have them. What is not offered is left in
  // `given`.
  void take(io::Value::Table& given, Scope scope);
  // One table after the other; a value of `above` replaces one that is here.
  void add(const Overrides& above);

  // Of a path such as "training.steps"; null where it is not given.
  [[nodiscard]] const io::Value* get(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const { return get(path) != nullptr; }
  void remove(std::string_view path);

  // Sets the fields that are given, and leaves the others. Throws ConfigError, with the place, for a
  // name that is unknown, with the nearest known one, and for a value of another type or out of
  // range.
  void apply(Experiment& experiment) const;

 private:
  io::Value::Table tables_;  // as in a file
};

// Sets how files are read, where the fields say so.
void set_reading(io::Fields& fields, datasets::FilesTask& task);

// From a configuration that has a name and a task. `tables` holds nothing but the experiment.
Experiment read_experiment(io::Value::Table tables, std::string_view origin);

}  // namespace rwa::training
