// src/tasks/task.h: descriptions of the paper's tasks, and of some that show what a network needs.
// Every difference between the released scripts and the text of the paper is a field here, so that
// no other code handles variants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/files_task.h"

namespace rwa::tasks {

// Is a sentence valid in the Reber grammar, or does it have a typo? One-hot letters, one yes/no
// label.
inline constexpr std::string_view kGrammarLetters = "BEPSTVX";
struct GrammarTask {
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;
  // As in the released scripts, which cut the second sentence of a typo by the length of the first.
  // 1.2 % of the test sentences are then empty.
  bool cut_test_by_first_length = false;

  friend bool operator==(const GrammarTask&, const GrammarTask&) = default;
};

// Is a sequence of random values longer than `threshold`? Lengths are uniform over 0…longest.
enum class Values { kNormal, kUniform };
struct LengthTask {
  int longest = 1000;
  int threshold = 500;
  Values values = Values::kNormal;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const LengthTask&, const LengthTask&) = default;
};

// `remember` random symbols out of K, then `delay` blanks, one of them replaced by a delimiter,
// then `remember` blanks. The target is blank, except that the steps after the delimiter repeat the
// symbols. Inputs are one-hot: K symbols, blank, delimiter; classes: K symbols, blank.
struct CopyTask {
  int remember = 10;  // S
  int delay = 100;    // T
  int symbols = 8;    // K
  // The delimiter is at one of the first this many of the `delay` steps.
  int delimiter_places = 100;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const CopyTask&, const CopyTask&) = default;
};

// The sum of two marked values.
enum class AddingOrder { kIndicatorValue, kValueIndicator };
struct AddingTask {
  int steps = 100;
  AddingOrder order = AddingOrder::kIndicatorValue;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const AddingTask&, const AddingTask&) = default;
};

// Which digit? One pixel (0…1) per step, row by row or in a fixed order shuffled by the seed.
inline constexpr int kMnistSide = 28;  // pixels
struct MnistTask {
  bool permuted = false;

  friend bool operator==(const MnistTask&, const MnistTask&) = default;
};

// Repeated copying (Maginnis and Richemond 2017, arXiv 1705.08480): each episode is a CopyTask with
// its delimiter at any of the `delay` steps. The symbols of one episode must be forgotten for the
// next. Inputs: K symbols, blank, delimiter; classes: K symbols, blank. A network that cannot
// forget can still learn to cope with the number of episodes in training, so the test may have
// more.
struct MultiCopyTask {
  int episodes = 5;
  int test_episodes = 50;
  int remember = 3;
  int delay = 5;
  int symbols = 8;  // K
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const MultiCopyTask&, const MultiCopyTask&) = default;
};

// Is the number of ones so far odd? Every step has `bits` bits, each -1 or 1. The target of a step
// is the exclusive or of its bits and of the previous target.
struct XorTask {
  int steps = 20;
  int bits = 6;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const XorTask&, const XorTask&) = default;
};

// At every step, predict the symbol `ahead` steps later; in the last steps, where there is none, K.
// Only a network that reads in both directions can solve this.
struct LookAheadTask {
  int steps = 30;
  int ahead = 2;
  int symbols = 8;  // K
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const LookAheadTask&, const LookAheadTask&) = default;
};

// A decoder reproduces a sequence of K symbols, followed by K for the end. Lengths are uniform over
// shortest…longest.
struct AutoencodeTask {
  int shortest = 1;
  int longest = 6;
  int symbols = 8;  // K
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const AutoencodeTask&, const AutoencodeTask&) = default;
};

// A decoder spells the numbers of a single step, each in -1…1 and the middle of one of base^digits
// equal parts of the range. The digits of a number give its part.
struct SpellingTask {
  int numbers = 3;
  int digits = 2;
  int base = 4;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const SpellingTask&, const SpellingTask&) = default;
};

using Task =
    std::variant<GrammarTask, LengthTask, CopyTask, AddingTask, MnistTask, MultiCopyTask, XorTask,
                 LookAheadTask, AutoencodeTask, SpellingTask, datasets::FilesTask>;

// Opens the data set of a task. Synthetic samples depend only on (seed, split, number). `folder`
// has the MNIST files, or takes the data of open_files() that does not fit into memory; other tasks
// ignore it. Throws ConfigError for an invalid task (sizes out of range), InputError and
// ResourceError for its files.
std::unique_ptr<datasets::Dataset> open_task(const Task& task, std::uint64_t seed,
                                             const std::filesystem::path& folder);

// What is known of a task without its files. Throws ConfigError like open_task().
struct Facts {
  datasets::Shape shape;
  datasets::Naive naive;
};
Facts facts(const Task& task);

// Conversions to and from the names used in configuration files.
std::string_view to_string(Values values);
std::string_view to_string(AddingOrder order);
Values parse_values(std::string_view name);
AddingOrder parse_adding_order(std::string_view name);
inline void from_name(std::string_view name, Values& value) { value = parse_values(name); }
inline void from_name(std::string_view name, AddingOrder& value) {
  value = parse_adding_order(name);
}

}  // namespace rwa::tasks
