// tests/formats/fasta_test.cc: FASTA and FASTQ.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

Lines sequences_of(std::string_view text, const Options& options = {}) {
  const io::TempFolder folder;
  io::put(folder.path() / "x", text);
  return sequences({folder.path() / "x"}, options);
}

// Several lines, lower case, IUPAC codes, gaps, trailing blanks, no final newline.
TEST(Fasta, ReadsRecords) {
  const DataSet found = read_all({good("records.fa")});
  EXPECT_EQ(found.sequences,
            (Lines{"first@2: A | C | G | T | N | N | R | Y | A | C | G | U | * | - -> ",
                   "second@7: C -> ", "third|x@9: A -> "}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kFasta, .symbols = true}));
}

// An @ in the quality, letters on several lines, blank lines, CRLF, no final newline.
TEST(Fastq, ReadsRecords) {
  const DataSet found = read_all({good("reads.fq")});
  EXPECT_EQ(found.sequences, (Lines{"r1@1: A | C | G | T | N -> ", "r2@5: A | C | G | T -> ",
                                    "blanks@10: G -> ", "last@16: A -> "}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kFastq, .symbols = true}));
}

TEST(Fasta, NumbersRecordsWithoutAName) {
  EXPECT_EQ(sequences_of(">\nA\n>  \nC\n> b\nG\n"),
            (Lines{"1@1: A -> ", "2@3: C -> ", "b@5: G -> "}));
}

TEST(Fasta, MakesKmers) {
  EXPECT_EQ(sequences_of(">a\nAC\nGT\n>b\nAC\n>c\nG\n", {.kmer = 3}),
            (Lines{"a@1: ACG | CGT -> ", "b@4: AC -> ", "c@6: G -> "}));
  EXPECT_EQ(refusal<ConfigError>({good("records.fa")}, {.kmer = 0}),
            "kmer is 0, expected at least 1");
}

TEST(Fasta, TakesLabelsFromHeaders) {
  const DataSet found = read_all({good("labels.fa")}, {.label_from = "header"});
  EXPECT_EQ(found.sequences, (Lines{"a|x__up@1: A | C -> up", "b@3: G | T -> down"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kFasta,
                                  .symbols = true,
                                  .target = Target::kClass,
                                  .targets = {"label"},
                                  .label_from = "header"}));
  EXPECT_EQ(sequences({good("labels.fa")}, {.label_from = "header:2"}),
            (Lines{"a|x__up@1: A | C -> x", "b@3: G | T -> 1"}));
  EXPECT_EQ(sequences({good("labels.fa")}, {.as = found.schema}), found.sequences);
}

TEST(Fasta, TakesNumbersFromHeaders) {
  const DataSet found = read_all({good("numbers.fa")}, {.label_from = "header"});
  EXPECT_EQ(found.sequences, (Lines{"a@1: A | C -> 0.5", "b@3: G | T -> 10"}));
  EXPECT_EQ(found.schema.target, Target::kNumbers);
  EXPECT_EQ(sequences({good("numbers.fa")}, {.task = Target::kClass, .label_from = "header"}),
            (Lines{"a@1: A | C -> 0.5", "b@3: G | T -> 1e1"}));
  EXPECT_EQ(refusal({good("labels.fa")}, {.task = Target::kNumbers, .label_from = "header"}),
            good("labels.fa").string() + ":1:7: found \"up\", expected a number");
}

TEST(Fasta, LabelsAreAskedForInVain) {
  EXPECT_EQ(refusal({good("records.fa")}, {.label_from = "header:9"}),
            good("records.fa").string() +
                ":2:1: found \">first some words\", expected a label as word 9 of the header");
  EXPECT_EQ(refusal({good("records.fa")}, {.label_from = "header"}),
            good("records.fa").string() +
                ":7:1: found \"> second\", expected a header of at least two words, the last one "
                "the label");
  EXPECT_EQ(refusal<ConfigError>({good("records.fa")}, {.task = Target::kClass}),
            good("records.fa").string() +
                ": found no targets, expected some for --task class: use --target or --label-from");
  for (const char* from : {"header:0", "header:", "header:-1", "header:x"}) {
    EXPECT_EQ(
        refusal<ConfigError>({good("records.fa")}, {.label_from = from}),
        fmt::format("--label-from is '{}', expected header, or header:N for word N of the header",
                    from));
  }
}

TEST(Fasta, AModelCanDoWithoutLabels) {
  const Schema model{.format = Format::kFasta,
                     .symbols = true,
                     .target = Target::kClass,
                     .targets = {"label"},
                     .label_from = "header"};
  EXPECT_EQ(sequences({good("records.fa")}, {.as = model}).at(1), "second@7: C -> ");
}

TEST(Fasta, RefusesWhatIsNoLetter) {
  expect_refusals({
      {"no_header.fa", ":1:1: found \"ACGT\", expected a header that starts with >"},
      {"digit.fa", ":3:3: found \"5\", expected a letter, * or -"},
      {"blank_inside.fa", ":2:3: found \" \", expected a letter, * or -"},
      {"not_ascii.fa", ":4:3: found \"Ä\", expected a letter, * or -"},
  });
}

TEST(Fastq, RefusesABadQuality) {
  expect_refusals({
      {"short_quality.fq",
       ":4:1: found a quality string of 3 characters, expected 4, one per letter"},
      {"long_quality.fq",
       ":4:1: found a quality string of 5 characters, expected 4, one per letter"},
      {"long_quality_in_lines.fq",
       ":6:1: found a quality string of 5 characters, expected 4, one per letter"},
      {"no_plus.fq", ":2: found the end of the file, expected a + line and the quality string"},
      {"no_quality.fq", ":3: found the end of the file, expected a quality string of 4 characters"},
      {"blank_in_quality.fq", ":4:3: found \" \", expected a quality character from ! to ~"},
      {"text_after_quality.fq", ":5:1: found \"IIII\", expected a header that starts with @"},
  });
}

// At the end of the file, before another record, and in FASTQ.
TEST(Fasta, RefusesARecordWithoutLetters) {
  const auto refused = [](std::string_view name, std::string_view text) {
    const io::TempFolder folder;
    io::put(folder.path() / name, text);
    return refusal({folder.path() / name}).substr((folder.path() / name).string().size());
  };
  const std::string message =
      "found a record without letters, expected at least one: remove the record";
  EXPECT_EQ(refused("x.fa", ">a\n>b\nA\n"), ":1: " + message);
  EXPECT_EQ(refused("x.fa", ">a\nA\n>b\n\n"), ":3: " + message);
  EXPECT_EQ(refused("x.fq", "@a\n\n+\n\n@b\nA\n+\nI\n"), ":1: " + message);
  EXPECT_EQ(refused("x.fq", "@a\n\n\n@b\nA\n+\nI\n"),
            ":4:1: found \"@\", expected a letter, * or -");
}

TEST(Fasta, GoesOnAfterABadRecord) {
  const io::TempFolder folder;
  io::put(folder.path() / "x.fa", ">a\nA1\nCC\n>b\n>c\nG\n>d\nA\n-5\n");
  EXPECT_EQ(read_on({folder.path() / "x.fa"}), (Lines{"! 2:2", "! 4", "c@5: G -> ", "! 9:2"}));
  io::put(folder.path() / "x.fq", "@a\n\n+\n\n@b\nA\n+\nI\n@c\nA1\n+\nII\n@d\nA\n+\nI\n");
  EXPECT_EQ(read_on({folder.path() / "x.fq"}),
            (Lines{"! 1", "b@5: A -> ", "! 10:2", "cannot go on"}));
}

TEST(Fasta, TellsWhyTheTask) {
  EXPECT_EQ(findings_of({good("labels.fa")}).task, "no labels in the file");
  EXPECT_EQ(findings_of({good("labels.fa")}, {.label_from = "header"}).task, "labels are words");
  EXPECT_EQ(findings_of({good("numbers.fa")}, {.label_from = "header"}).task,
            "every label is a number");
}

TEST(Fasta, RefusesAFileWithoutRecords) {
  const io::TempFolder folder;
  io::put(folder.path() / "x.fa", "\n\n");
  EXPECT_EQ(refusal({folder.path() / "x.fa"}),
            (folder.path() / "x.fa").string() +
                ":1: found no records, expected a header that starts with > or @");
}

// A line may be a chromosome: it is read in parts.
TEST(Fasta, ReadsALongLine) {
  const std::string letters = std::string(1'048'575, 'A') + "CG" + std::string(1'100'000, 'T');
  std::vector<std::int32_t> expected(letters.size(), 3);
  std::fill_n(expected.begin(), 1'048'575, 0);
  expected[1'048'575] = 1;
  expected[1'048'576] = 2;
  const io::TempFolder folder;
  const auto check = [&](std::string_view name, const std::string& text) {
    io::put(folder.path() / name, text);
    const auto reader = open(Paths{folder.path() / name}, {}, std::make_shared<Vocabulary>());
    Sequence sequence;
    ASSERT_TRUE(reader->next(sequence));
    EXPECT_TRUE(sequence.symbols == expected);
    ASSERT_TRUE(reader->next(sequence));
    EXPECT_EQ(sequence.id, "b");
    EXPECT_EQ(sequence.symbols, (std::vector<std::int32_t>{0, 1}));
    EXPECT_FALSE(reader->next(sequence));
  };
  check("x.fa", ">a\n" + letters + "  \r\n>b\nAC\n");
  const std::string qualities(letters.size(), '@');
  check("x.fq", "@a\n" + letters + "\n+\n" + qualities + "\n@b\nAC\n+\nII\n");
}

TEST(Fasta, RefusesALongLineWithItsPlace) {
  const io::TempFolder folder;
  const std::filesystem::path file = folder.path() / "x.fq";
  const std::string letters(2'000'000, 'A');
  const auto refused = [&](const std::string& text) {
    io::put(file, text);
    return refusal({file}).substr(file.string().size());
  };
  EXPECT_EQ(refused(">a\n" + letters + ">" + letters),
            ":2:2000001: found \">\", expected a letter, * or -");
  EXPECT_EQ(refused(">a\nAC\n>" + letters + "\nAC\n"),
            ":3:1048577: found a header of more than 1 MiB, expected at most that: shorten it");
  EXPECT_EQ(refused("@a\nAC\n+" + letters + "\nII\n"),
            ":3:1048577: found a header of more than 1 MiB, expected at most that: shorten it");
  EXPECT_EQ(refused("@a\n" + letters + "\n+\n" + letters.substr(1) + "\n"),
            ":4:1048577: found a quality string of 1,999,999 characters, expected 2000000, one per "
            "letter");
  io::put(file, ">a\nAC\n>" + letters + "\nAC\n>b\nG\n");
  EXPECT_EQ(read_on({file}), (Lines{"a@1: A | C -> ", "! 3:1048577", "b@5: G -> "}));
}

RC_GTEST_PROP(Fasta, LineBreaksDoNotMatter, ()) {
  const auto letters = *rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ACGTN*-acgtn"))));
  std::string broken;
  for (const char c : letters) {
    broken += c;
    if (*rc::gen::arbitrary<bool>())
      broken += *rc::gen::elementOf(Lines{"\n", "\r\n", " \n", "\n\n"});
  }
  const int kmer = *rc::gen::inRange(1, 5);
  RC_ASSERT(sequences_of(">a\n" + broken, {.kmer = kmer}) ==
            sequences_of(">a\n" + letters + "\n", {.kmer = kmer}));
}

// Quality lines may look like headers.
RC_GTEST_PROP(Fastq, QualitiesAreOnlyCounted, ()) {
  std::string text;
  Lines expected;
  const int records = *rc::gen::inRange(1, 5);
  int line = 1;
  for (int i = 0; i < records; ++i, line += 4) {
    const auto quality = *rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::inRange<char>('!', static_cast<char>('~' + 1))));
    text += fmt::format("@r{}\n{}\n+\n{}\n", i, std::string(quality.size(), 'A'), quality);
    expected.push_back(
        fmt::format("r{}@{}: {} -> ", i, line, fmt::join(Lines(quality.size(), "A"), " | ")));
  }
  RC_ASSERT(sequences_of(text) == expected);
}

}  // namespace
}  // namespace rwa::formats
