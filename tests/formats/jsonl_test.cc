// tests/formats/jsonl_test.cc: JSON lines.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

class Jsonl : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view text) {
    io::put(file_, text);
    return file_;
  }
  Target target_of(std::string_view text) { return read_all({write(text)}).schema.target; }
  void expect_refusal(std::string_view text, std::string_view message,
                      const Options& options = {}) {
    EXPECT_EQ(refusal({write(text)}, options), file_.string() + std::string(message));
  }

  io::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "x.jsonl";
};

TEST_F(Jsonl, ReadsStepsOfFeatures) {
  const DataSet found = read_all({good("classes.jsonl")});
  EXPECT_EQ(found.sequences, (Lines{"a@1: 1 2 | 3 ? -> up", "7@2: 5 ? -> down", "3@4:  -> up"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kJsonl,
                                  .features = {"x0", "x1"},
                                  .target = Target::kClass,
                                  .targets = {"y"},
                                  .id = "id"}));
}

TEST_F(Jsonl, ReadsOneFeature) {
  const DataSet found = read_all({good("one_feature.jsonl")});
  EXPECT_EQ(found.sequences,
            (Lines{"1@1: 1 | 2.5 | -300 -> 0.5", "2@2: 1.8446744e+19 -> -1", "3@3: 4 | 5 -> 2"}));
  EXPECT_EQ(found.schema.features, Lines{"x0"});
  EXPECT_EQ(found.schema.target, Target::kNumbers);
}

TEST_F(Jsonl, ReadsTextAndSeveralLabels) {
  const DataSet found = read_all({good("letters.jsonl")});
  EXPECT_EQ(found.sequences, (Lines{"1@1: h | é | é -> a b", "2@2:  -> ", "3@3: x | \" -> b"}));
  EXPECT_EQ(
      found.schema,
      (Schema{
          .format = Format::kJsonl, .symbols = true, .target = Target::kLabels, .targets = {"y"}}));
}

TEST_F(Jsonl, ReadsSymbolsAndLabelsPerStep) {
  const DataSet found = read_all({good("words.jsonl")});
  EXPECT_EQ(found.sequences,
            (Lines{"1@1: the | cat -> D N", "2@2: 7 | sat | 18446744073709551616 -> X V X"}));
  EXPECT_EQ(found.schema.target, Target::kClassPerStep);
}

TEST_F(Jsonl, ReadsNumbersAsAnswers) {
  DataSet found = read_all({good("numbers.jsonl")});
  EXPECT_EQ(found.sequences, (Lines{"1@1: A | C | G -> 0.5 1", "2@2: A -> ? 2"}));
  EXPECT_EQ(found.schema.target, Target::kNumbers);
  EXPECT_EQ(found.schema.targets, (Lines{"y0", "y1"}));

  found = read_all({good("numbers_per_step.jsonl")});
  EXPECT_EQ(found.sequences, (Lines{"1@1: 1 | 2 -> 0.1 0.2", "2@2: 3 -> 0.3"}));
  EXPECT_EQ(found.schema.target, Target::kNumbersPerStep);

  found =
      read_all({write("{\"x\": [1, 2], \"y\": [[1, 2], [3, null]]}\n{\"x\": [], \"y\": []}\n")});
  EXPECT_EQ(found.sequences, (Lines{"1@1: 1 | 2 -> 1 2 3 ?", "2@2:  -> "}));
  EXPECT_EQ(found.schema.target, Target::kNumbersPerStep);
  EXPECT_EQ(found.schema.targets, (Lines{"y0", "y1"}));
}

TEST_F(Jsonl, GuessesWhatNumbersStandFor) {
  EXPECT_EQ(target_of(R"({"x":[1],"y":1}
                         {"x":[1],"y":2}
                         {"x":[1],"y":1}
                         {"x":[1],"y":2})"),
            Target::kClass);
  EXPECT_EQ(target_of(R"({"x":[1],"y":1}
                         {"x":[1],"y":2}
                         {"x":[1],"y":3})"),
            Target::kNumbers);
  EXPECT_EQ(target_of(R"({"x":[1,2,3,4],"y":[1,0,0,1]})"), Target::kClassPerStep);
  EXPECT_EQ(target_of(R"({"x":[1,2,3,4],"y":["1","0"]})"), Target::kLabels);
  EXPECT_EQ(target_of(R"({"x":[1],"y":true}
                         {"x":[1],"y":false})"),
            Target::kClass);
  EXPECT_EQ(target_of(R"({"x":[1]})"), Target::kNone);
}

TEST_F(Jsonl, WhatAnswersAreCanBeSaid) {
  const auto path = write(R"({"x":[1,2],"y":[1,0]}
{"x":[1,2],"y":[0,0.5]})");
  EXPECT_EQ(sequences({path}, {.task = Target::kNumbersPerStep}).at(1), "2@2: 1 | 2 -> 0 0.5");
  EXPECT_EQ(read_all({path}, {.task = Target::kNumbers}).schema.targets, (Lines{"y0", "y1"}));
  EXPECT_EQ(sequences({path}, {.task = Target::kLabels}).at(0), "1@1: 1 | 2 -> 1 0");
  EXPECT_EQ(sequences({path}, {.task = Target::kNone}).at(0), "1@1: 1 | 2 -> ");
  EXPECT_EQ(refusal({path}, {.task = Target::kClass}),
            path.string() + ":1:16: found a list of length 2, expected a single target");
  EXPECT_EQ(refusal<ConfigError>({write(R"({"x":[1]})")}, {.task = Target::kClass}),
            path.string() +
                ": found no targets, expected some for --task class: use --target or --label-from");
}

TEST_F(Jsonl, OtherNamesCanBeSaid) {
  const Options options{.targets = {"label"}, .features = {"sentence"}, .id = "name"};
  const DataSet found = read_all({good("other_names.jsonl")}, options);
  EXPECT_EQ(found.sequences, (Lines{"a@1: h | i -> true", "b@2: h | o -> false"}));
  EXPECT_EQ(found.schema.features, Lines{"sentence"});
  EXPECT_EQ(found.schema.id, "name");
  // A model remembers the names.
  EXPECT_EQ(sequences({good("other_names.jsonl")}, {.as = found.schema}), found.sequences);
  EXPECT_EQ(refusal({good("classes.jsonl")}, {.features = {"sentence"}}),
            good("classes.jsonl").string() +
                ":1:1: found an object without a sequence, expected the key \"sentence\"");

  const auto path = write(R"({"power":[[1,2]],"cost":[0.5,1.5]})");
  const DataSet numbers = read_all({path}, {.targets = {"cost"}, .features = {"power"}});
  EXPECT_EQ(numbers.schema.features, (Lines{"power0", "power1"}));
  EXPECT_EQ(numbers.schema.targets, (Lines{"cost0", "cost1"}));
  EXPECT_EQ(sequences({path}, {.as = numbers.schema}), Lines{"1@1: 1 2 -> 0.5 1.5"});
}

TEST_F(Jsonl, MakesKmers) {
  EXPECT_EQ(sequences({good("letters.jsonl")}, {.kmer = 2}).at(0), "1@1: hé | éé -> a b");
  EXPECT_EQ(
      refusal<ConfigError>({good("words.jsonl")}, {.kmer = 2}),
      good("words.jsonl").string() + ": found lists of symbols, expected strings for --kmer 2");
  EXPECT_EQ(
      refusal<ConfigError>({good("classes.jsonl")}, {.kmer = 2}),
      good("classes.jsonl").string() + ": found sequences of numbers, expected text for --kmer 2");
}

TEST_F(Jsonl, ReadsWhatAModelTakes) {
  const Schema model{.format = Format::kTable,
                     .layout = Layout::kWide,
                     .features = {"a", "b"},
                     .target = Target::kClass,
                     .targets = {"direction"}};
  EXPECT_EQ(read_all({good("classes.jsonl")}, {.as = model}).schema.features, (Lines{"a", "b"}));
  EXPECT_EQ(sequences({bad("no_answer.jsonl")}, {.as = model}),
            (Lines{"1@1: 1 2 -> a", "2@2: 1 2 -> "}));
  EXPECT_EQ(refusal({good("one_feature.jsonl")}, {.as = model}),
            good("one_feature.jsonl").string() +
                ": found 1 feature, expected the 2 that the model takes: a, b");
}

TEST_F(Jsonl, RefusesWhatIsNotJson) {
  expect_refusals({
      {"not_json.jsonl",
       ":2:21: found \"\\\"a\\\"}\", expected a JSON object on one line (The JSON "
       "document has an improper structure: missing or superfluous commas, braces, "
       "missing keys, etc.)"},
      {"cut.jsonl",
       ":2:1: found \"{\\\"x\\\": [[1, 2]], \\\"y\\\": \\\"a\\\"\", expected a JSON object "
       "on one line (JSON document ended early in the middle of an object or array.)"},
      {"open_string.jsonl",
       ":2:1: found \"{\\\"x\\\": [[1, 2]], \\\"y\\\": \\\"a}\", expected a JSON object on one "
       "line (A "
       "string is opened, but never closed.)"},
      {"array.jsonl",
       ":1:1: found \"[{\\\"x\\\": [1]}]\", expected a JSON object on one line (The JSON "
       "element does not have the requested type.)"},
      {"second_object.jsonl", ":2:27: found \"{}\", expected the end of the line after the object"},
      {"duplicate_key.jsonl", ":2:27: found the key \"x\" twice, expected each key once"},
      {"not_utf8.jsonl",
       ":2:14: found the byte 0xe9, expected UTF-8 text: convert the file, such as with iconv"},
  });
}

TEST_F(Jsonl, RefusesABadSequence) {
  expect_refusals({
      {"two_sequences.jsonl", ":1:17: found a second sequence \"text\", expected one per object"},
      {"no_sequence.jsonl",
       ":1:1: found an object without a sequence, expected the key \"x\", \"text\" or \"seq\"; "
       "--features names another"},
      {"ragged.jsonl", ":2:16: found 1 value, expected 2, as in the first element"},
      {"other_width.jsonl", ":2:7: found steps of 3 numbers, expected 2, as on earlier lines"},
      {"empty_step.jsonl", ":2:8: found 0 values, expected at least one"},
      {"word_in_numbers.jsonl", ":2:12: found \"\\\"two\\\"\", expected a number"},
      {"bad_number.jsonl", ":2:12: found \"01\", expected a number"},
      {"too_large.jsonl", ":2:12: found \"1e39\", expected a number of at most 3.4e38"},
      {"number_in_words.jsonl",
       ":2:10: found a list of numbers, expected a string, as on earlier lines"},
      {"list_in_words.jsonl", ":1:15: found \"[\", expected a string or a number"},
      {"null_word.jsonl", ":1:15: found \"null\", expected a symbol"},
      {"object_sequence.jsonl", ":1:7: found \"{\", expected a list or a string"},
  });
}

// Each takes far more memory than its letters.
TEST_F(Jsonl, RefusesTooManyOfAnything) {
  const auto list = [](int count) {
    std::string text = "[0";
    for (int i = 1; i < count; ++i) text += ",0";
    return text + "]";
  };
  const auto refused = [&](const std::string& line) {
    const std::filesystem::path file = write(line + "\n");
    return refusal({file}).substr(file.string().size());
  };
  EXPECT_EQ(refused(R"({"x": [)" + list(65'537) + "]}"),
            ":1:8: found 65,537 values, expected at most 65,536");
  EXPECT_EQ(refused(R"({"x": [0], "y": [)" + list(65'537) + "]}"),
            ":1:18: found 65,537 values, expected at most 65,536");
  EXPECT_EQ(refused(R"({"x": [0], "y": )" + list(65'537) + "}"),
            ":1:17: found a list of length 65537, expected at most 65,536 numbers");
  EXPECT_EQ(refused(R"({"x": [0], "y": )" + list(600'000) + "}"),
            ":1:1048594: found more than 524,288 targets, expected fewer in one object: save long "
            "sequences as .npy");
  std::string keys = R"({"x": [0])";
  for (int i = 0; i < 65'536; ++i) keys += fmt::format(",\"{:06}\":0", i);
  EXPECT_EQ(refused(keys + "}"),
            ":1:720896: found more than 65,536 keys, expected fewer in one object");
}

TEST_F(Jsonl, RefusesABadAnswer) {
  expect_refusals({
      {"no_answer.jsonl",
       ":2:1: found an object without \"y\", expected \"y\" in every object; --target names "
       "another "
       "key"},
      {"object_answer.jsonl", ":3:17: found \"{\", expected a string or a number"},
      {"null_label.jsonl", ":1:26: found \"null\", expected a label"},
  });
  expect_refusals(
      {{"list_answer.jsonl", ":2:22: found a list of length 1, expected a single target"}},
      {.task = Target::kClass});
  const std::string file = "{\"x\":[1,2],\"y\":[1.5,2.5]}\n{\"x\":[1],\"y\":[\"a\"]}\n";
  expect_refusal(file, ":2:15: found \"a\", expected a number", {.task = Target::kNumbersPerStep});
  expect_refusal("{\"x\":[1,2],\"y\":[1]}\n",
                 ":1:16: found a list of length 1, expected length 2, one target per step",
                 {.task = Target::kNumbersPerStep});
  expect_refusal("{\"x\":[1],\"y\":[1,2]}\n{\"x\":[1],\"y\":[1,2,3]}\n",
                 ":2:14: found a list of length 3, expected 2 numbers");
}

TEST_F(Jsonl, RefusesListsOfAnswersOfAnotherLength) {
  const std::string first = "{\"x\":[1,2],\"y\":[[1,2],[3,4]]}\n";
  expect_refusal(first + "{\"x\":[1],\"y\":[[1,2,3]]}\n",
                 ":2:14: found 1 list of length 3, expected 1 list of length 2, one per step");
  expect_refusal(first + "{\"x\":[1],\"y\":[1]}\n",
                 ":2:14: found a list of length 1, expected 1 list of length 2, one per step");
  expect_refusal(first + "{\"x\":[1,2],\"y\":[[1,2],[3]]}\n",
                 ":2:23: found 1 value, expected 2, as in the first element");
  expect_refusal(first, ":1:16: found 2 lists of length 2, expected no nested lists",
                 {.task = Target::kLabels});
  expect_refusal("{\"x\":[1],\"y\":[]}\n",
                 ":1:14: found a list of length 0, expected a single target");
}

TEST_F(Jsonl, KnowsWhereAValueIsMissing) {
  EXPECT_EQ(missing_places({write("{\"x\": [[1, 2], [NaN, null]]}\n{\"id\": \"ä\", \"x\": [[1, 2],"
                                  " [3,null]]}\n{\"x\": [[1, 2]]}\n")}),
            (Lines{"1:17", "2:30", ""}));
}

TEST_F(Jsonl, GoesOnAfterABadLine) {
  EXPECT_EQ(read_on({write("{\"x\": [1]}\n[]\n{\"x\": [[1, 2]]}\n{\"x\": [2]}\n")}),
            (Lines{"1@1: 1 -> ", "! 2:1", "! 3:7", "4@4: 2 -> "}));
}

TEST_F(Jsonl, TellsWhyTheTask) {
  EXPECT_EQ(findings_of({good("numbers.jsonl")}).task, "the values of the key \"y\"");
  EXPECT_EQ(findings_of({write("{\"x\": [1]}\n")}).task, "no object has the key \"y\"");
}

TEST_F(Jsonl, EmptySequencesHaveNoFeatures) {
  EXPECT_EQ(sequences({write("{\"x\": []}\n")}), Lines{"1@1:  -> "});
  std::string text;
  while (text.size() < (std::size_t{1} << 20)) text += "{\"x\": []}\n";
  expect_refusal(text + "{\"x\": [1]}\n",
                 fmt::format(":{}:7: found steps of 1 number, expected 0, as on earlier lines",
                             text.size() / 10 + 1));
}

TEST_F(Jsonl, LateContradictionsAreRefused) {
  std::string text;
  while (text.size() < (std::size_t{1} << 20)) text += "{\"x\": [1], \"y\": \"a\"}\n";
  const auto lines = std::ranges::count(text, '\n');
  expect_refusal(
      text + "{\"x\": [1, [2, 3]], \"y\": \"a\"}\n",
      fmt::format(":{}:11: found 2 values, expected 1, as in the first element", lines + 1));
  expect_refusal(
      text + "{\"text\": \"a\", \"y\": \"a\"}\n",
      fmt::format(":{}:10: found a string, expected a list of numbers, as on earlier lines",
                  lines + 1));
}

// A million brackets, in a value that is read and in one that is ignored, open and closed.
TEST_F(Jsonl, DeepNestingIsRefusedOrSkipped) {
  const std::string open(1'000'000, '['), close(1'000'000, ']');
  EXPECT_NE(refusal({write("{\"x\": " + open)}), "");
  EXPECT_NE(refusal({write("{\"x\": " + open + "}")}), "");
  EXPECT_NE(refusal({write("{\"x\": " + open + close + "}")}), "");
  EXPECT_NE(refusal({write("{\"y\": " + open + close + ", \"x\": [1]}")}), "");
  EXPECT_NE(refusal({write("{\"x\": [1], \"other\": " + open + "}")}), "");
  EXPECT_NE(refusal({write(open)}), "");
  EXPECT_EQ(sequences({write("{\"other\": " + open + close + ", \"x\": [1]}")}),
            Lines{"1@1: 1 -> "});
}

TEST_F(Jsonl, EveryBeginningOfAFileIsReadOrRefused) {
  const std::string whole = io::get(good("classes.jsonl")) + io::get(good("words.jsonl"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto path = write(whole.substr(0, size));
    try {
      read_all({path}, {.format = Format::kJsonl});
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string() + ":"));
    }
  }
}

TEST_F(Jsonl, RefusesAFileWithoutObjects) {
  EXPECT_EQ(refusal({write("\n \n")}),
            file_.string() + ":1: found no JSON object, expected one per line");
}

RC_GTEST_FIXTURE_PROP(Jsonl, WhatIsWrittenIsRead, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 4);
  std::string text;
  Lines expected;
  const int records = *rc::gen::inRange(1, 6);
  for (int i = 0; i < records; ++i) {
    const auto steps = *rc::gen::inRange<std::size_t>(1, 6);
    Lines rows, plain;
    for (std::size_t t = 0; t < steps; ++t) {
      const auto x = *rc::gen::container<std::vector<int>>(width, rc::gen::arbitrary<int>());
      const std::vector<float> floats(x.begin(), x.end());
      rows.push_back(fmt::format("[{}]", fmt::join(floats, ",")));
      plain.push_back(fmt::to_string(fmt::join(floats, " ")));
    }
    text += fmt::format("{{\"x\":[{}],\"y\":\"{}\",\"id\":\"n{}\"}}\n", fmt::join(rows, ", "),
                        i % 2, i);
    expected.push_back(fmt::format("n{}@{}: {} -> {}", i, i + 1, fmt::join(plain, " | "), i % 2));
  }
  RC_ASSERT(sequences({write(text)}) == expected);
}

}  // namespace
}  // namespace rwa::formats
