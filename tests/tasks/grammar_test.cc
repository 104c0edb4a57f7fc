// tests/tasks/grammar_test.cc: checks the sentences with an independent automaton over their
// letters.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

constexpr int kSentences = 40'000;

// The grammar as Reber drew it: letters are arrows between the nodes 0…5; B leads to node 0, and E
// leads from node 5 to the end.
using Arrow = std::pair<int, char>;
const std::map<Arrow, int> kArrows = {{{0, 'T'}, 1}, {{0, 'P'}, 2}, {{1, 'S'}, 1}, {{1, 'X'}, 3},
                                      {{2, 'T'}, 2}, {{2, 'V'}, 4}, {{3, 'X'}, 2}, {{3, 'S'}, 5},
                                      {{4, 'P'}, 3}, {{4, 'V'}, 5}, {{5, 'E'}, 6}};
constexpr int kEnd = 6;
constexpr int kNowhere = -1;

// Returns the node that the letters lead to.
int follow(int node, std::string_view letters) {
  for (const char letter : letters) {
    const auto arrow = kArrows.find({node, letter});
    if (arrow == kArrows.end()) return kNowhere;
    node = arrow->second;
  }
  return node;
}

bool is_beginning(std::string_view text) {
  return text.empty() || (text[0] == 'B' && follow(0, text.substr(1)) != kNowhere);
}
bool is_sentence(std::string_view text) {
  return !text.empty() && text[0] == 'B' && follow(0, text.substr(1)) == kEnd;
}
bool is_ending(std::string_view text) {
  if (is_sentence(text)) return true;
  for (int node = 0; node < kEnd; ++node) {
    if (follow(node, text) == kEnd) return true;
  }
  return false;
}

struct Sentence {
  std::string text;
  bool valid;
};

std::vector<Sentence> read(const GrammarTask& task, datasets::Split split, int count) {
  const auto data = open_synthetic(task);
  const datasets::Batch batch = fill_first(*data, split, count);
  std::vector<Sentence> sentences;
  for (std::size_t b = 0; b < batch.lengths.size(); ++b) {
    Sentence sentence{.text = {}, .valid = batch.values.at(b) == 1};
    EXPECT_TRUE(sentence.valid || batch.values.at(b) == 0);
    for (int t = 0; t < batch.lengths[b]; ++t) {
      sentence.text += "BEPSTVX"[hot(batch, *data, t, b)];
    }
    sentences.push_back(sentence);
  }
  return sentences;
}

std::vector<Sentence> read_train() { return read({}, datasets::Split::kTrain, kSentences); }
std::vector<Sentence> read_script_test() {
  return read({.train = 10'000, .test = kSentences, .cut_test_by_first_length = true},
              datasets::Split::kTest, kSentences);
}

TEST(Grammar, TheAutomatonKnowsTheGrammar) {
  for (const auto* text : {"BTXSE", "BPVVE", "BTSSXXTVPXVVE", "BPTTVPSE"}) {
    EXPECT_TRUE(is_sentence(text)) << text;
  }
  for (const auto* text : {"", "B", "BTXS", "TXSE", "BTXSEE", "BTSE", "BPVPVE"}) {
    EXPECT_FALSE(is_sentence(text)) << text;
  }
}

TEST(Grammar, EverySentenceIsAcceptedAndEveryTypoRejected) {
  for (const auto& [text, valid] : read_train()) ASSERT_EQ(is_sentence(text), valid) << text;
  for (const auto& [text, valid] : read_script_test()) ASSERT_EQ(is_sentence(text), valid) << text;
}

TEST(Grammar, HalfOfThemHaveATypo) {
  int valid = 0;
  for (const auto& sentence : read_train()) valid += sentence.valid ? 1 : 0;
  expect_share(valid, kSentences, 0.5, "valid");
}

// A typo is one jump: a valid start of a sentence followed by a valid end.
TEST(Grammar, ATypoIsOneJump) {
  for (const auto& [text, valid] : read_train()) {
    if (valid) continue;
    bool one_jump = false;
    for (std::size_t cut = 0; cut < text.size() && !one_jump; ++cut) {
      one_jump = is_beginning(text.substr(0, cut)) && is_ending(text.substr(cut));
    }
    ASSERT_TRUE(one_jump) << text;
  }
}

// If two arrows leave a node, each is taken half of the time.
TEST(Grammar, EveryChoiceIsEven) {
  std::map<int, int> visits;
  std::map<Arrow, int> taken;
  for (const auto& [text, valid] : read_train()) {
    if (!valid) continue;
    int node = 0;
    for (const char letter : text.substr(1)) {
      ++visits[node];
      ++taken[{node, letter}];
      node = follow(node, std::string(1, letter));
    }
  }
  EXPECT_EQ(taken.size(), kArrows.size());
  for (const auto& [arrow, count] : taken) {
    if (arrow.first == 5) continue;
    expect_share(count, visits[arrow.first], 0.5, std::string("the arrow ") + arrow.second);
  }
}

// The length of a walk through the grammar has mean 8 and variance 34/3; that of a typo is from a
// simulation.
TEST(Grammar, Lengths) {
  double valid_sum = 0;
  double typo_sum = 0;
  int valid_count = 0;
  for (const auto& [text, valid] : read_train()) {
    (valid ? valid_sum : typo_sum) += static_cast<double>(text.size());
    valid_count += valid ? 1 : 0;
    ASSERT_LE(text.size(), 50U);
  }
  EXPECT_NEAR(valid_sum / valid_count, 8, 4 * std::sqrt(34.0 / 3 / valid_count));
  EXPECT_NEAR(typo_sum / (kSentences - valid_count), 8, 4 * std::sqrt(19.2 / valid_count));
  const auto data = open_synthetic(GrammarTask{});
  EXPECT_EQ(data->shape().longest, 50);
  EXPECT_EQ(data->shape().mean_length, 8);
}

// The cut may fall before the first letter: 14.2 % of the typos, by a simulation of the procedure.
TEST(Grammar, TyposAreCutAnywhere) {
  int typos = 0;
  int headless = 0;
  for (const auto& [text, valid] : read_train()) {
    if (valid) continue;
    ++typos;
    headless += text[0] != 'B' ? 1 : 0;
  }
  expect_share(headless, typos, 0.1422, "without B");
}

TEST(Grammar, OnlyTheScriptsTestSetHasEmptySentences) {
  const auto count_empty = [](const std::vector<Sentence>& sentences) {
    return static_cast<int>(std::count_if(sentences.begin(), sentences.end(),
                                          [](const auto& s) { return s.text.empty(); }));
  };
  expect_share(count_empty(read_script_test()), kSentences, 0.0117, "empty");
  EXPECT_EQ(count_empty(read_train()), 0);
  const GrammarTask script{.train = 10'000, .test = 10'000, .cut_test_by_first_length = true};
  EXPECT_EQ(count_empty(read(script, datasets::Split::kTrain, 10'000)), 0);
  EXPECT_EQ(count_empty(read({}, datasets::Split::kTest, 10'000)), 0);
}

TEST(Grammar, TheScriptsTrainingSentencesAreThoseOfTheText) {
  const GrammarTask script{.train = 10'000, .test = 10'000, .cut_test_by_first_length = true};
  const auto ours = read({}, datasets::Split::kTrain, 1000);
  const auto theirs = read(script, datasets::Split::kTrain, 1000);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(ours[i].text, theirs[i].text);
}

TEST(Grammar, ANetworkForIt) {
  const auto data = open_synthetic(GrammarTask{});
  EXPECT_EQ(data->shape().inputs, 7);
  EXPECT_EQ(data->shape().outputs, 1);
  EXPECT_EQ(data->shape().readout, Readout::kLast);
  EXPECT_EQ(data->shape().loss, Loss::kSigmoid);
  EXPECT_EQ(data->naive().loss, 1);
  EXPECT_EQ(data->naive().accuracy, 0.5);
}

}  // namespace
}  // namespace rwa::tasks
