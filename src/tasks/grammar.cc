// src/tasks/grammar.cc: sentences of the Reber grammar, half of them with a typo: the start of one
// sentence joined to the end of another, where no arrow connects the two.
//
// Sentences can have any length. Those of more than 50 letters, the limit of the released scripts,
// are drawn again; fewer than one in a million are affected.
#include <algorithm>
#include <array>
#include <string_view>

#include "tasks/kinds.h"
#include "tasks/synthetic.h"

namespace rwa::tasks {
namespace {
using State = std::uint8_t;

struct Node {
  char letter;
  std::array<State, 2> next;  // targets of its arrows; a single arrow is listed twice
};

constexpr int kLongest = 50;
constexpr double kMeanLength = 8;  // exact for a walk; with a typo it differs by less than 1 %
constexpr State kFirst = 1;
constexpr State kLast = 12;
constexpr std::array<Node, kLast + 1> kNodes{{
    {},  // states are numbered from 1
    {'B', {2, 7}},
    {'T', {3, 4}},
    {'S', {3, 4}},
    {'X', {5, 6}},
    {'S', {12, 12}},
    {'X', {8, 9}},
    {'P', {8, 9}},
    {'T', {8, 9}},
    {'V', {10, 11}},
    {'P', {5, 6}},
    {'V', {12, 12}},
    {'E', {}},
}};

class Chain {
 public:
  [[nodiscard]] std::span<const State> states() const {
    return std::span(states_).first(static_cast<std::size_t>(length_));
  }
  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] bool is_full() const { return length_ == kLongest; }
  void add(State state) { states_[static_cast<std::size_t>(length_++)] = state; }

 private:
  std::array<State, kLongest> states_{};
  int length_ = 0;
};

struct Sentence {
  Chain chain;
  bool valid = true;
};

// Random walk along the arrows, with equal probabilities.
Chain walk(Draws& draws) {
  while (true) {
    Chain chain;
    State state = kFirst;
    for (chain.add(state); state != kLast && !chain.is_full(); chain.add(state)) {
      state = kNodes[state].next[static_cast<std::size_t>(draws.below(2))];
    }
    if (state == kLast) return chain;
  }
}

bool is_valid(std::span<const State> states) {
  const auto no_arrow = [](State from, State to) {
    return std::ranges::find(kNodes[from].next, to) == kNodes[from].next.end();
  };
  return !states.empty() && states.front() == kFirst &&
         std::ranges::adjacent_find(states, no_arrow) == states.end();
}

// `cut_by_first`: see GrammarTask.
Chain with_typo(const Chain& first, bool cut_by_first, Draws& draws) {
  while (true) {
    const Chain second = walk(draws);
    const int kept = draws.below(first.length());
    const int cut = draws.below(cut_by_first ? first.length() : second.length());
    if (kept + second.length() - cut > kLongest) continue;
    Chain joined;
    for (int i = 0; i < kept; ++i) joined.add(first.states()[i]);
    for (int i = cut; i < second.length(); ++i) joined.add(second.states()[i]);
    if (!is_valid(joined.states())) return joined;
  }
}

Sentence draw_sentence(const Random& random, bool cut_by_first) {
  Draws draws(random);
  const Chain chain = walk(draws);
  if (draws.below(2) == 0) return {chain, true};
  return {with_typo(chain, cut_by_first, draws), false};
}

class Grammar final : public Synthetic {
 public:
  Grammar(const GrammarTask& task, std::uint64_t seed)
      : Synthetic({.shape = {.inputs = static_cast<int>(kGrammarLetters.size()),
                             .outputs = 1,
                             .readout = Readout::kLast,
                             .loss = Loss::kSigmoid,
                             .longest = kLongest,
                             .mean_length = kMeanLength},
                   .naive = {.loss = 1, .accuracy = 0.5},
                   .seed = seed,
                   .train = task.train,
                   .test = task.test}),
        cut_test_by_first_length_(task.cut_test_by_first_length) {}

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    const bool cut_by_first = cut_test_by_first_length_ && split == datasets::Split::kTest;
    std::vector<Sentence> sentences;
    sentences.reserve(samples.size());
    batch.lengths.clear();
    for (const std::int64_t sample : samples) {
      sentences.push_back(draw_sentence(random(split, sample), cut_by_first));
      batch.lengths.push_back(sentences.back().chain.length());
    }
    lay_out(batch, shape().inputs);
    for (std::size_t b = 0; b < sentences.size(); ++b) {
      batch.values.push_back(sentences[b].valid ? 1.0F : 0.0F);
      std::size_t row = b;
      for (const State state : sentences[b].chain.states()) {
        batch.x[row * kGrammarLetters.size() + kGrammarLetters.find(kNodes[state].letter)] = 1;
        row += sentences.size();
      }
    }
  }

 private:
  bool cut_test_by_first_length_;
};

}  // namespace

std::unique_ptr<datasets::Dataset> open_grammar(const GrammarTask& task, std::uint64_t seed) {
  return std::make_unique<Grammar>(task, seed);
}

}  // namespace rwa::tasks
