// tests/workflows/generate_test.cc: what a forecast makes of itself.
#include "workflows/generate.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "workflows/predictions.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> generated(const Trained& trained, const GenerateOptions& options) {
  std::string text;
  generate(trained, options, [&](std::string_view line) { text += line; });
  return lines_of(text);
}

// The outputs of the network after this text of a, b and c.
std::vector<float> logits_after(const Trained& trained, std::string_view text) {
  Stream stream(trained.model);
  std::vector<float> y(3);
  for (const char c : text) stream.step(c - 'a', y);
  return y;
}

TEST(Generate, AtTemperatureZeroTheMostLikelyFollows) {
  const Trained trained = make_trained(letters_encoding(Target::kNone));
  std::string expected = "ab";
  for (int i = 0; i < 20; ++i) {
    const auto y = logits_after(trained, expected);
    expected += static_cast<char>('a' + (std::ranges::max_element(y) - y.begin()));
  }
  GenerateOptions options{.length = 20, .count = 2, .prompt = "ab", .temperature = 0};
  EXPECT_EQ(generated(trained, options), (std::vector<std::string>{expected, expected}));
  options.temperature = 1e-9;
  EXPECT_EQ(generated(trained, options), (std::vector<std::string>{expected, expected}));
}

TEST(Generate, SymbolsComeAsOftenAsTheyAreLikely) {
  constexpr int kCount = 20'000;
  const Trained trained = make_trained(letters_encoding(Target::kNone));
  const auto y = logits_after(trained, "abc");
  for (const double temperature : {0.5, 1.0, 3.0}) {
    double sum = 0;
    for (const float logit : y) sum += std::exp(logit / temperature);
    std::map<std::string, int> counts;
    for (const auto& text :
         generated(trained,
                   {.length = 1, .count = kCount, .prompt = "abc", .temperature = temperature})) {
      ++counts[text];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const double p = std::exp(y[i] / temperature) / sum;
      const double found = counts[std::string("abc") + static_cast<char>('a' + i)] / double{kCount};
      // Five deviations: the numbers are the same in every run.
      EXPECT_NEAR(found, p, 5 * std::sqrt(p * (1 - p) / kCount) + 1e-9) << temperature;
    }
  }
}

TEST(Generate, TheSeedDecides) {
  const Trained trained = make_trained(letters_encoding(Target::kNone));
  GenerateOptions options{.length = 30, .count = 3};
  const auto texts = generated(trained, options);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(generated(trained, options), texts);
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 3u);
  for (const std::string& text : texts) EXPECT_EQ(text.size(), 30u);
  options.seed = 2;
  EXPECT_NE(generated(trained, options), texts);
}

TEST(Generate, KmersOverlap) {
  datasets::Encoding encoding = letters_encoding(Target::kNone);
  encoding.kmer = 2;
  encoding.alphabet = {"aa", "ab", "ba", "bc"};
  const Trained trained = make_trained(encoding);
  std::size_t ended = 0;
  for (const auto& text : generated(trained, {.length = 40, .count = 50})) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      EXPECT_NE(std::ranges::find(encoding.alphabet, text.substr(i, 2)), encoding.alphabet.end());
    }
    // Nothing can follow c.
    if (text.size() < 41) {
      EXPECT_EQ(text.back(), 'c');
      ++ended;
    }
  }
  EXPECT_GT(ended, 0u);
  EXPECT_TRUE(generated(trained, {.length = 2, .prompt = "aba"})[0].starts_with("aba"));
}

TEST(Generate, WordsAreApart) {
  datasets::Encoding encoding = letters_encoding(Target::kNone);
  encoding.alphabet = {"down", "up"};
  const auto text = generated(make_trained(encoding), {.length = 3, .prompt = " up  down "})[0];
  EXPECT_TRUE(text.starts_with("up down ")) << text;
  EXPECT_EQ(std::ranges::count(text, ' '), 4);
}

TEST(Generate, NumbersAreFedBack) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in.csv";
  io::put(in, "id,u,v\na,1,2\na,3,4\nb,5,6\n");
  const Trained trained = make_trained(numbers_encoding(Target::kNone));
  const auto rows = generated(trained, {.length = 3, .prompt_file = in});
  const OutputDecoder answers(trained.encoding);
  PredictionFormatter text(answers, RowFormat::kCsv);
  std::string expected = "id,step,u,v\n";
  Stream stream(trained.model);
  std::vector<float> x, y(2);
  const auto step = [&](float u, float v) {  // in the file's unit
    x = {(u - 1) / 0.5f, (v + 2) / 3};
    stream.step(x, y);
  };
  const auto run_freely = [&](const char* id, int from) {
    for (int t = from; t < from + 3; ++t) {
      text.append({.id = id, .step = t}, y, expected);
      x = y;
      stream.step(x, y);
    }
  };
  step(1, 2);
  step(3, 4);
  run_freely("a", 3);
  stream.reset();
  step(5, 6);
  run_freely("b", 2);
  EXPECT_EQ(rows, lines_of(expected));

  // Without a prompt, the mean comes first.
  expected = "id,step,u,v\n";
  stream.reset();
  step(1, -2);
  run_freely("1", 1);
  EXPECT_EQ(generated(trained, {.length = 3}), lines_of(expected));
}

TEST(Generate, WhatDoesNotFitIsRefused) {
  const Trained letters = make_trained(letters_encoding(Target::kNone));
  const Trained numbers = make_trained(numbers_encoding(Target::kNone));
  const Trained classes = make_trained(letters_encoding(Target::kClass));
  const auto refused = [](const Trained& trained, const GenerateOptions& options,
                          std::string_view message) {
    io::expect_error<ConfigError>([&] { generated(trained, options); }, {message});
  };
  refused(classes, {}, "found a model for the task class, expected one for forecast");
  refused(letters, {.length = 0}, "the length is 0, expected 1 or more");
  refused(letters, {.count = 0}, "the count is 0, expected 1 or more");
  refused(letters, {.temperature = -1}, "the temperature is -1, expected 0 or more");
  refused(letters, {.temperature = NAN}, "expected 0 or more");
  refused(numbers, {.prompt = "1,2"}, "expected a file");
  refused(numbers, {.temperature = 0.5}, "expected none");
  refused(numbers, {.count = 2}, "expected none");
  io::expect_error<InputError>([&] { generated(letters, {.prompt = "abd"}); },
                               {"prompt:1: found the symbol \"d\""});
  io::expect_error<InputError>([&] { generated(letters, {.prompt = "\xFF"}); }, {"UTF-8"});
}

}  // namespace
}  // namespace rwa::workflows
