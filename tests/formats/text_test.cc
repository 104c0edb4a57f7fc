// tests/formats/text_test.cc: text with a sequence per line.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/text_symbols.h"
#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

class Text : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view text) {
    io::put(file_, text);
    return file_;
  }

  io::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "x.txt";
};

TEST_F(Text, ReadsLines) {
  const DataSet found = read_all({good("lines.txt")});
  EXPECT_EQ(found.sequences,
            (Lines{"1@1: Á | b | c -> ", "3@3:   |   | d |   | e -> ", "4@4: ç -> "}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kText, .symbols = true}));
}

TEST_F(Text, ReadsALabel) {
  const DataSet found = read_all({good("one_label.txt")});
  EXPECT_EQ(found.sequences, (Lines{"1@1: f | i | n | e -> good",
                                    "2@2: n | o | t |   | f | i | n | e -> bad", "3@3:  -> good"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kText,
                                  .symbols = true,
                                  .target = Target::kClass,
                                  .targets = {"label"}}));
}

TEST_F(Text, ReadsSeveralLabels) {
  const DataSet found = read_all({good("several_labels.txt")});
  EXPECT_EQ(found.sequences, (Lines{"1@1: t | e | x | t -> a b", "2@2: x -> c"}));
  EXPECT_EQ(found.schema.target, Target::kLabels);
}

TEST_F(Text, WhatLabelsAreCanBeSaid) {
  EXPECT_EQ(read_all({good("one_label.txt")}, {.task = Target::kLabels}).schema.target,
            Target::kLabels);
  EXPECT_EQ(sequences({good("several_labels.txt")}, {.task = Target::kNone}),
            (Lines{"1@1: t | e | x | t -> ", "2@2: x -> "}));
  EXPECT_EQ(
      refusal({good("several_labels.txt")}, {.task = Target::kClass}),
      good("several_labels.txt").string() +
          ":1:12: found a second label \"b\", expected one label per line; for several, use --task "
          "labels");
  EXPECT_EQ(refusal<ConfigError>({good("one_label.txt")}, {.task = Target::kNumbers}),
            good("one_label.txt").string() +
                ": found targets for the task class, expected those for the task numbers: use "
                "--task class");
}

TEST_F(Text, ReadsWhatAModelTakes) {
  Schema model{
      .format = Format::kText, .symbols = true, .target = Target::kClass, .targets = {"label"}};
  EXPECT_EQ(sequences({bad("no_label.txt")}, {.as = model}).at(0), "1@1: t | e | x | t -> a");
  EXPECT_EQ(sequences({good("lines.txt")}, {.as = model}).at(2), "4@4: ç -> ");
  model.target = Target::kLabels;
  EXPECT_EQ(sequences({good("one_label.txt")}, {.as = model}).at(2), "3@3:  -> good");
  model.target = Target::kNone;
  EXPECT_EQ(sequences({good("one_label.txt")}, {.as = model}).at(0), "1@1: f | i | n | e -> ");
}

TEST_F(Text, MakesKmers) {
  EXPECT_EQ(sequences({write("Ábcd\nÁb\nÁ\n")}, {.kmer = 3}),
            (Lines{"1@1: Ábc | bcd -> ", "2@2: Áb -> ", "3@3: Á -> "}));
}

TEST_F(Text, MakesWords) {
  const Options words{.tokens = Tokens::kWords};
  EXPECT_EQ(sequences({write("The dog's 2 bones, (don't)!\n'a' b_c\n")}, words),
            (Lines{"1@1: The | dog's | 2 | bones | , | ( | don't | ) | ! -> ",
                   "2@2: ' | a | ' | b | _ | c -> "}));
  EXPECT_EQ(sequences({write("\u201cÉté\u201d\u2026 l\u2019été\u3000東京\u3002\n")}, words),
            (Lines{"1@1: \u201c | Été | \u201d | \u2026 | l\u2019été | 東京 | \u3002 -> "}));
  EXPECT_EQ(sequences({good("one_label.txt")}, words),
            (Lines{"1@1: fine -> good", "2@2: not | fine -> bad", "3@3:  -> good"}));
  EXPECT_EQ(refusal<ConfigError>({good("lines.txt")}, {.kmer = 2, .tokens = Tokens::kWords}),
            "found --kmer 2 with --tokens words, expected one of them: k-mers are of characters");
}

TEST_F(Text, LowersCase) {
  EXPECT_EQ(sequences({write("ÁB ß\n")}, {.lower = true}), (Lines{"1@1: á | b |   | ß -> "}));
  EXPECT_EQ(
      sequences({write("ΣΊΣΥΦΟΣ Ёж Ærø ẞ Ž ÷×\n")}, {.tokens = Tokens::kWords, .lower = true}),
      (Lines{"1@1: σίσυφοσ | ёж | ærø | ß | ž | ÷ | × -> "}));
}

TEST_F(Text, ABadLineCanBeSkipped) {
  write("__label__a b\n__label__ c\nd\n\xff\n__label__a e\n");
  const auto reader = open(Paths{file_}, {}, std::make_shared<Vocabulary>());
  Sequence sequence;
  Lines ids;
  int skipped = 0;
  while (true) {
    try {
      if (!reader->next(sequence)) break;
      ids.push_back(sequence.id);
    } catch (const InputError&) {
      ++skipped;
      ASSERT_TRUE(reader->skip());
    }
  }
  EXPECT_EQ(ids, (Lines{"1", "5"}));
  EXPECT_EQ(skipped, 3);
}

TEST_F(Text, RefusesABadLine) {
  expect_refusals({
      {"not_utf8.txt",
       ":2:10: found the byte 0xe9, expected UTF-8 text: convert the file, such as with iconv"},
      {"no_label.txt",
       ":2:1: found \"text __label__a\", expected a label before the text, like __label__x"},
      {"empty_label.txt", ":2:1: found \"__label__\", expected a name after __label__"},
  });
}

TEST_F(Text, RefusesALabelThatComesLate) {
  std::string text;
  while (text.size() < (std::size_t{1} << 20)) text += "some text\n";
  EXPECT_EQ(refusal({write(text + "__label__a b\n")}),
            fmt::format("{}:{}:1: found \"__label__a\", expected no label, as on earlier lines",
                        file_.string(), text.size() / 10 + 1));
}

TEST_F(Text, ReadsALongLine) {
  const std::string line(3'000'000, 'a');
  const auto reader = open(Paths{write(line + "\nb\n")}, {}, std::make_shared<Vocabulary>());
  Sequence sequence;
  ASSERT_TRUE(reader->next(sequence));
  EXPECT_EQ(sequence.steps, 3'000'000);
  ASSERT_TRUE(reader->next(sequence));
  EXPECT_EQ(sequence.steps, 1);
}

TEST(Utf8, IsToldFromOtherBytes) {
  for (const char* text : {"", "a", "é", "€", "😀", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF"}) {
    EXPECT_EQ(not_utf8(text), nullptr) << text;
  }
  // A lone continuation byte, truncated characters, overlong forms, a surrogate, a code point above
  // the last one, an obsolete form.
  for (const std::string_view text : {"a\x80", "a\xC3", "a\xE2\x82", "a\xF0\x9F\x98", "a\xC0\xAF",
                                      "a\xE0\x80\xAF", "a\xF0\x80\x80\xAF", "a\xED\xA0\x80",
                                      "a\xF4\x90\x80\x80", "a\xF8\x88\x80\x80\x80", "a\xC3("}) {
    EXPECT_EQ(not_utf8(text), text.data() + 1);
  }
}

TEST_F(Text, DifferentSymbolsAreLimited) {
  std::string text;
  for (int i = 0; i < 700'000; ++i) text += fmt::format("{:x}", i * 2'654'435'761U);
  const std::string place = write(text).string();
  EXPECT_EQ(refusal({write("0\n" + text)}, {.kmer = 12}),
            place +
                ":2: found more than 1,048,576 different symbols, expected fewer: use a smaller "
                "--kmer, or no --tokens words");
  EXPECT_EQ(refusal({write("0\n" + text)}, {.kmer = 100}),
            place +
                ":2: found more than 16 MiB of different symbols, expected fewer: use a smaller "
                "--kmer, or no --tokens words");
  const Lines read = sequences({write(text)}, {.kmer = 4});
  EXPECT_EQ(read.size(), 1U);
}

RC_GTEST_FIXTURE_PROP(Text, EveryLetterIsAStep, ()) {
  const auto letters = *rc::gen::nonEmpty(
      rc::gen::container<Lines>(rc::gen::elementOf(Lines{"a", "b", "é", "ß", "€", "語", "😀"})));
  RC_ASSERT(sequences({write(fmt::to_string(fmt::join(letters, "")))}) ==
            Lines{fmt::format("1@1: {} -> ", fmt::join(letters, " | "))});
}

}  // namespace
}  // namespace rwa::formats
