// src/c_api/sequences_reader.cc: a formats::Reader over a list of sequences in memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "c_api/sequences.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::c_api {
namespace {
using formats::Schema;
using formats::Target;

std::string list_of(const std::vector<std::string>& names) {
  return io::escape(fmt::to_string(fmt::join(names, ", ")));
}

[[noreturn]] void refuse(const std::string& file, const std::string& found,
                         const std::string& expected) {
  throw InputError(fmt::format("{}: has {}, expected {}", file, found, expected));
}

// Returns the indices of the wanted features in the list; empty: all features, unchanged. Only
// features of tables have names.
std::vector<std::size_t> places_of(const Schema& found, const Schema& wanted,
                                   const std::string& file) {
  std::vector<std::size_t> places;
  bool fits = found.features.size() == wanted.features.size();
  if (found.format == formats::Format::kTable) {
    fits = std::ranges::all_of(wanted.features, [&](const std::string& name) {
      const auto place = std::ranges::find(found.features, name);
      places.push_back(static_cast<std::size_t>(place - found.features.begin()));
      return place != found.features.end();
    });
  }
  if (fits) return places;
  refuse(file, fmt::format("the features {}", list_of(found.features)),
         fmt::format("{}, as the model takes", list_of(wanted.features)));
}

void check_answers(const Schema& found, const Schema& wanted, const std::string& file) {
  const auto task = [](Target target) { return fmt::format("the task {}", to_string(target)); };
  if (found.target != wanted.target) refuse(file, task(found.target), task(wanted.target));
  const bool numbers = found.target == Target::kNumbers || found.target == Target::kNumbersPerStep;
  if (!numbers || found.targets.size() == wanted.targets.size()) return;
  refuse(file, fmt::format("the targets {}", list_of(found.targets)), list_of(wanted.targets));
}

// Adds the words of one dictionary to another and returns their numbers there.
std::vector<std::int32_t> numbers_in(formats::Dictionary& other, const formats::Dictionary& one) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(one.words().size());
  for (const std::string& word : one.words()) numbers.push_back(other.number(word));
  return numbers;
}

void translate(const std::vector<std::int32_t>& numbers, std::vector<std::int32_t>& words) {
  for (std::int32_t& word : words) word = numbers[static_cast<std::size_t>(word)];
}

class ListReader final : public formats::Reader {
 public:
  ListReader(const rwa_sequences& list, const Schema* as, bool answered, formats::Vocabulary& words)
      : list_(list), answered_(answered), symbols_(numbers_in(words.symbols, list.words.symbols)) {
    if (answered) labels_ = numbers_in(words.labels, list.words.labels);
    schema_ = list.schema;
    if (as != nullptr) fit(*as);
  }

  [[nodiscard]] const std::string& file() const override { return list_.files[file_]; }

  bool next(formats::Sequence& sequence) override {
    if (next_ == list_.items.size()) return false;
    const rwa_sequences::Item& item = list_.items[next_++];
    file_ = item.file;
    sequence = item.sequence;
    if (!places_.empty()) choose_features(item.sequence.x, sequence.x);
    translate(symbols_, sequence.symbols);
    if (answered_) {
      translate(labels_, sequence.labels);
    } else {
      sequence.labels.clear();
      sequence.values.clear();
    }
    return true;
  }

 private:
  void fit(const Schema& as) {
    const auto steps = [](const Schema& s) { return s.symbols ? "symbols" : "numbers"; };
    if (schema_.symbols != as.symbols) {
      refuse(file(), fmt::format("sequences of {}", steps(schema_)),
             fmt::format("{}, as the model takes", steps(as)));
    }
    if (!schema_.symbols) places_ = places_of(schema_, as, file());
    if (answered_) check_answers(schema_, as, file());
    const auto format = schema_.format;
    const auto layout = schema_.layout;
    schema_ = as;
    schema_.format = format;
    schema_.layout = layout;
  }

  void choose_features(const std::vector<float>& all, std::vector<float>& chosen) const {
    chosen.clear();
    for (std::size_t row = 0; row < all.size(); row += list_.schema.features.size()) {
      for (const std::size_t place : places_) chosen.push_back(all[row + place]);
    }
  }

  const rwa_sequences& list_;
  const bool answered_;
  std::vector<std::int32_t> symbols_, labels_;  // from the list's numbers to the vocabulary's
  std::vector<std::size_t> places_;             // of the selected features; empty: all
  std::size_t next_ = 0, file_ = 0;
};
}  // namespace

std::unique_ptr<formats::Reader> open_list(const rwa_sequences& list, const formats::Schema* as,
                                           bool answered, formats::Vocabulary& words) {
  return std::make_unique<ListReader>(list, as, answered, words);
}

}  // namespace rwa::c_api
