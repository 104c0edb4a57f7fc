// src/tasks/task.h: the tasks of the paper, as data, and after them some that show what a network
// must have. Every place where the released scripts differ from the paper's text is a field here,
// so that no code knows of variants.
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

// Is a sentence of the Reber grammar, or has it a typo? One-hot letters, one yes/no.
inline constexpr std::string_view kGrammarLetters = "BEPSTVX";
struct GrammarTask {
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;
  // As in the released scripts, which cut the second sentence of a typo by the length of the first:
  // 1.2 % of the test sentences are empty.
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

// `remember` of K symbols, then `delay` blanks of which one is a delimiter, then `remember` blanks.
// The answer is blank but for the steps after the delimiter: there it is the symbols. Inputs are
// one-hot: K symbols, blank, delimiter; classes: K symbols, blank.
struct CopyTask {
  int remember = 10;  // S
  int delay = 100;    // T
  int symbols = 8;    // K
  // The delimiter stands at any of the first this many of the `delay` places.
  int delimiter_places = 100;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const CopyTask&, const CopyTask&) = default;
};

// The sum of the two values that are marked.
enum class AddingOrder { kIndicatorValue, kValueIndicator };
struct AddingTask {
  int steps = 100;
  AddingOrder order = AddingOrder::kIndicatorValue;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const AddingTask&, const AddingTask&) = default;
};

// Which digit, one pixel (0…1) a step, row by row or in one order shuffled by the seed.
inline constexpr int kMnistSide = 28;  // pixels
struct MnistTask {
  bool permuted = false;

  friend bool operator==(const MnistTask&, const MnistTask&) = default;
};

// Copying again and again (Maginnis and Richemond 2017, arXiv 1705.08480): each episode is that of
// the CopyTask with its delimiter at any of the `delay` places, so that what was remembered for one
// must be let go for the next. K symbols, blank, delimiter; classes: K symbols, blank. A network
// can learn to get along with what it cannot forget for as many episodes as it was trained with: so
// those of the test may be more.
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

// Is the number of ones so far odd? `bits` of them come at every step, each as -1 or 1, so that a
// step's answer is the exclusive or of all of these and of the answer before.
struct XorTask {
  int steps = 20;
  int bits = 6;
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const XorTask&, const XorTask&) = default;
};

// At every step, the symbol that comes `ahead` steps later; in the last steps, where there is none,
// K. Only a network that has read the future knows.
struct LookAheadTask {
  int steps = 30;
  int ahead = 2;
  int symbols = 8;  // K
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const LookAheadTask&, const LookAheadTask&) = default;
};

// A sequence of K symbols is to be said again by a decoder, and then K, which is its end. Lengths
// are uniform over shortest…longest.
struct AutoencodeTask {
  int shortest = 1;
  int longest = 6;
  int symbols = 8;  // K
  std::int64_t train = 100'000;
  std::int64_t test = 10'000;

  friend bool operator==(const AutoencodeTask&, const AutoencodeTask&) = default;
};

// One step of numbers, in -1…1, is to be spelled by a decoder: of each number, one after the other,
// the digits that say which of base^digits equal parts of the range it is the middle of.
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

// The samples of a task. Synthetic ones are a function of (seed, split, number) alone. `folder`
// holds the files of MNIST, or is where open_files() may put what does not fit into memory; it is
// not looked at otherwise. Throws ConfigError for a task that cannot be (sizes out of range),
// InputError and ResourceError for its files.
std::unique_ptr<datasets::Dataset> open_task(const Task& task, std::uint64_t seed,
                                             const std::filesystem::path& folder);

// What is known of a task without its files. Throws ConfigError as open_task() does.
struct Facts {
  datasets::Shape shape;
  datasets::Naive naive;
};
Facts facts(const Task& task);

// Names as they stand in configuration files.
std::string_view to_string(Values values);
std::string_view to_string(AddingOrder order);
Values parse_values(std::string_view name);
AddingOrder parse_adding_order(std::string_view name);
inline void from_name(std::string_view name, Values& value) { value = parse_values(name); }
inline void from_name(std::string_view name, AddingOrder& value) {
  value = parse_adding_order(name);
}

}  // namespace rwa::tasks
