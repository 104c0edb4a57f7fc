// tests/formats/open_test.cc: files, folders, format recognition, and labels from elsewhere.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats_testing.h"
#include "io/gzip_testing.h"
#include "io/io_testing.h"
#include "io/zstd_testing.h"

namespace rwa::formats {
namespace {

namespace fs = std::filesystem;

class Open : public ::testing::Test {
 protected:
  fs::path write(std::string_view name, std::string_view text) {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    io::put(file, text);
    return file;
  }
  Format format_of(std::string_view name, std::string_view text) {
    return read_all({write(name, text)}).schema.format;
  }
  std::string place(std::string_view name) { return (folder_.path() / name).string(); }

  io::TempFolder folder_;
};

constexpr std::string_view kTable = "id,a,b\nx,1,2.5\nx,2,3.5\ny,3,4.5\n";
constexpr std::string_view kFasta = ">a\nAC\n";
constexpr std::string_view kFastq = "@a\nAC\n+\nII\n";
constexpr std::string_view kTs = "# words\n@problemName x\n@univariate true\n@data\n1,2\n";
constexpr std::string_view kJsonl = "{\"x\": [1]}\n";

TEST_F(Open, RecognisesFormatsByTheirContent) {
  EXPECT_EQ(format_of("a", kFasta), Format::kFasta);
  EXPECT_EQ(format_of("b.txt", kFastq), Format::kFastq);
  EXPECT_EQ(format_of("c.dat", kTs), Format::kTs);
  EXPECT_EQ(format_of("d.txt", kJsonl), Format::kJsonl);
  EXPECT_EQ(format_of("e", kTable), Format::kTable);
  EXPECT_EQ(format_of("f", "\xEF\xBB\xBF>a\nAC\n"), Format::kFasta);
  EXPECT_EQ(format_of("g.fq", "@blank\n\nA\n+\n\nI\n"), Format::kFastq);
}

TEST_F(Open, TellsFormatsWithAnAtSignApart) {
  EXPECT_EQ(format_of("a", "% words\n%\n\n@Relation r\n@attribute a real\n@data\n1\n"),
            Format::kArff);
  EXPECT_EQ(format_of("b.txt", "@ATTRIBUTE a real\n@data\n1\n"), Format::kArff);
  EXPECT_EQ(format_of("c", "# words\n@relation r\n@frequency daily\n@data\n1,2\n"), Format::kTsf);
  EXPECT_EQ(format_of("d.tsf", "@relation r\n@data\n1,2\n"), Format::kTsf);
  EXPECT_EQ(format_of("e", "@relation\nAC\n+\nII\n"), Format::kFastq);
  EXPECT_EQ(format_of("f", "% a comment\nin a text\n"), Format::kText);
}

TEST_F(Open, RecognisesFormatsByTheirNames) {
  EXPECT_EQ(format_of("a.csv", "x\n1\n2\n"), Format::kTable);
  EXPECT_EQ(format_of("a.CSV.gz", io::gzip("x\n1\n2\n")), Format::kTable);
  EXPECT_EQ(refusal({write("a.ts", "1,2\n")}),
            place("a.ts") +
                ":1:1: found \"1,2\", expected a header line that starts with @, up to @data");
  EXPECT_EQ(refusal({write("a.fna", "ACGT\n")}),
            place("a.fna") + ":1:1: found \"ACGT\", expected a header that starts with >");
  EXPECT_NE(refusal({write("a.ndjson", "1\n")}), "");
}

TEST_F(Open, TellsTablesFromText) {
  EXPECT_EQ(format_of("a.txt", "Smith\nVan der Berg\nO'Neill, Jr.\n"), Format::kText);
  EXPECT_EQ(format_of("b.txt", "one two\nthree four\n"), Format::kText);
  EXPECT_EQ(format_of("c.txt", "Hello, world\n"), Format::kText);
  EXPECT_EQ(format_of("d.txt", "__label__a x,y\n__label__b y,z\n"), Format::kText);
  EXPECT_EQ(format_of("e.txt", "12\n13\n14\n"), Format::kText);
  EXPECT_EQ(format_of("f.txt", "1 2 3\n2 3 4\n1 5 6\n2 7 8\n"), Format::kTable);
  EXPECT_EQ(format_of("g.txt", "a;b\n1;2\n3;4\n"), Format::kTable);
}

TEST_F(Open, TheFormatCanBeSaid) {
  EXPECT_EQ(sequences({write("a.fa", kFasta)}, {.format = Format::kText}),
            (Lines{"1@1: > | a -> ", "2@2: A | C -> "}));
}

TEST_F(Open, UnpacksFiles) {
  const Lines expected{"a@1: A | C -> "};
  EXPECT_EQ(sequences({write("a.fa.gz", io::gzip(kFasta))}), expected);
  EXPECT_EQ(sequences({write("a.fa.zst", io::zstd(kFasta))}), expected);
  EXPECT_EQ(sequences({write("b.fa", io::gzip(kFasta))}), expected);
}

TEST_F(Open, ReadsTheStandardInput) {
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(write("x", kFasta).c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  EXPECT_EQ(sequences({"-"}), Lines{"a@1: A | C -> "});
  ::lseek(file, 0, SEEK_SET);
  EXPECT_EQ(refusal<ConfigError>({"-"}, {.label_from = "file"}),
            "--label-from file needs a file, found standard input");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
}

TEST_F(Open, RefusesWhatIsNoData) {
  EXPECT_EQ(refusal({write("empty.csv", "")}),
            place("empty.csv") + ": found an empty file, expected sequences");
  EXPECT_EQ(refusal({write("picture", std::string("GIF89a\0\0", 8))}),
            place("picture") + ":1:7: found a zero byte (NUL), expected text, .npy, .npz or IDX");
}

TEST_F(Open, RefusesFilesOfOtherPrograms) {
  const std::string text = "use --format text to read it as text";
  const std::string sheet = "an Excel or other Office file, expected data: save the sheet as CSV";
  const auto zip = [](std::string_view name) {
    return "PK\3\4" + std::string(22, '\0') + static_cast<char>(name.size()) +
           std::string(3, '\0') + std::string(name);
  };
  const std::vector<std::pair<std::string, std::string>> files = {
      {"\xEF\xBB\xBF\n<!DOCTYPE HTML>\n<p>404\n", "an HTML page, expected data: " + text},
      {"<html lang=en>\n", "an HTML page, expected data: " + text},
      {"<?xml version='1.0'?>\n", "an XML file, expected data: " + text},
      {"%PDF-1.7\n", "a PDF document, expected data: extract its text or tables"},
      {"PAR1\x15", "a Parquet file, expected data: convert it to CSV or JSON lines"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", sheet},
      {zip("[Content_Types].xml"), sheet},
      {zip("train.csv"), "a ZIP archive, expected data: unpack it"},
      {"BZh91AY&SY\x01", "a bzip2 file, expected data: unpack it"},
      {"\xFD"
       "7zXZ\1",
       "an xz file, expected data: unpack it"},
      {std::string(257, 'a') + "ustar", "a tar archive, expected data: unpack it"},
      {io::gzip(io::gzip("a,b\n1,2\n")), "a gzip file within a packed one, expected data: unpack it"},
  };
  for (const auto& [content, found] : files) {
    EXPECT_EQ(refusal({write("x.csv", content)}), place("x.csv") + ": found " + found);
  }
  EXPECT_EQ(sequences({write("x.html", "<html>\n")}, {.format = Format::kText}).size(), 1U);
}

TEST_F(Open, SuggestsAFileThatExists) {
  write("train.csv", kTable);
  EXPECT_EQ(refusal<ConfigError>({folder_.path() / "trian.csv"}),
            place("trian.csv") + ": no such file or folder, did you mean train.csv?");
  EXPECT_EQ(refusal<ConfigError>({folder_.path() / "no/such"}),
            place("no/such") + ": no such file or folder");
  EXPECT_EQ(refusal<ConfigError>({}), "no data files given, expected at least one");
}

TEST_F(Open, ReadsFilesOneAfterTheOther) {
  const Paths paths{write("1.ts", kTs), write("2.ts", kTs)};
  const Lines expected{"1:1@5: 1 | 2 -> ", "2:1@5: 1 | 2 -> "};
  EXPECT_EQ(sequences(paths), expected);
  EXPECT_EQ(sequences({folder_.path()}), expected);

  const auto reader = open(paths, {}, std::make_shared<Vocabulary>());
  Sequence sequence;
  EXPECT_TRUE(reader->next(sequence));
  EXPECT_EQ(reader->file(), place("1.ts"));
  EXPECT_TRUE(reader->next(sequence));
  EXPECT_EQ(reader->file(), place("2.ts"));
  EXPECT_FALSE(reader->next(sequence));
}

TEST_F(Open, IdsOfSeveralFilesDiffer) {
  EXPECT_EQ(sequences({write("a/1.txt", "x\n"), write("b/1.txt", "x\n")}, {.task = Target::kNone}),
            (Lines{"a/1:1@1: x -> ", "b/1:1@1: x -> "}));
  EXPECT_EQ(sequences({write("a/1.txt", "x\n"), write("a/1.csv.gz", io::gzip("x\n"))},
                      {.format = Format::kText, .task = Target::kNone}),
            (Lines{place("a/1.txt") + ":1@1: x -> ", place("a/1.csv.gz") + ":1@1: x -> "}));
  // Ids of the files stay as they are, unless an earlier file has the same one.
  const std::string rows = R"({"id": "p", "x": [1]})"
                           "\n";
  EXPECT_EQ(sequences({write("mon.jsonl", rows + R"({"x": [2]})"), write("tue.jsonl", rows)}),
            (Lines{"p@1: 1 -> ", "mon:2@2: 2 -> ", "tue:p@1: 1 -> "}));
}

// Ids of the first million sequences are known, however many follow.
TEST_F(Open, AnIdOfAnEarlierFileOfManySequences) {
  std::string rows = "id,u\n";
  for (int i = 0; i < (1 << 20) + 10; ++i) rows += fmt::format("{},1\n", i);
  const auto reader = open(Paths{write("1.csv", rows), write("2.csv", "id,u\n5,1\n")},
                           {.layout = Layout::kLong, .task = Target::kNone, .id = "id"},
                           std::make_shared<Vocabulary>());
  Sequence sequence;
  std::string last;
  while (reader->next(sequence)) last = sequence.id;
  EXPECT_EQ(last, "2:5");
}

TEST_F(Open, FilesThatAreGivenTwice) {
  const fs::path one = write("1.txt", "x\n");
  EXPECT_EQ(refusal<ConfigError>({one, one}),
            one.string() + ": found the same data twice, expected it once");
  EXPECT_EQ(refusal<ConfigError>({"-", "/dev/stdin"}),
            "/dev/stdin: found the same data twice, here and as -, expected it once");
  // Links to nothing are not the same.
  fs::create_directory(folder_.path() / "links");
  for (const char* name : {"links/a.txt", "links/b.txt"}) {
    fs::create_symlink("nothing", folder_.path() / name);
  }
  EXPECT_NE(refusal<ResourceError>({one, folder_.path() / "links"}), "");
}

TEST_F(Open, NamesThatAreLabelsAreText) {
  const fs::path file = write("a\xFF.txt", "x\n");
  EXPECT_EQ(refusal({write("b.txt", "x\n"), file}),
            folder_.path().string() +
                "/a\\xff.txt: found the byte 0xff in the name of the file, which is its label, "
                "expected UTF-8: rename it");
}

TEST_F(Open, AFileIsNotSkipped) {
  const auto reader =
      open(Paths{write("a.txt", "x\n"), write("b.txt", "")}, {}, std::make_shared<Vocabulary>());
  Sequence sequence;
  EXPECT_TRUE(reader->next(sequence));
  EXPECT_THROW(reader->next(sequence), InputError);
  EXPECT_FALSE(reader->skip());
}

TEST_F(Open, FilesHaveOneSchema) {
  const fs::path first = write("1.jsonl", "{\"x\": [[1, 2]], \"y\": \"a\"}\n");
  const auto expect = [&](std::string_view name, std::string_view text, std::string_view message) {
    EXPECT_EQ(refusal({first, write(name, text)}),
              fmt::format("{}: has {}, as in {}", place(name), message, first.string()));
  };
  expect("2.jsonl", "{\"x\": [[1, 2, 3]], \"y\": \"a\"}\n",
         "the features x0, x1, x2, expected x0, x1");
  expect("3.jsonl", "{\"text\": \"abc\", \"y\": \"a\"}\n",
         "sequences of symbols, expected numbers");
  EXPECT_EQ(refusal({write("4.ts", kTs),
                     write("5.ts", "@univariate true\n@classLabel true a\n@data\n1:a\n")}),
            fmt::format("{}: has targets for the task class, expected forecast, as in {}",
                        place("5.ts"), place("4.ts")));
  EXPECT_EQ(refusal({good("one_label.txt"), good("lines.txt")}),
            fmt::format("{}: has labels from the file name, expected the file itself, as in {}",
                        good("lines.txt").string(), good("one_label.txt").string()));
}

TEST_F(Open, OnlySequencesCanBeSkipped) {
  const fs::path first = write("1.jsonl", "{\"x\": [1]}\n{\"x\": 1}\n");
  const fs::path same = write("2.jsonl", "{\"x\": [2]}\nnone\n{\"x\": [3]}\n");
  EXPECT_EQ(read_on({first, same}, {.task = Target::kNone}),
            (Lines{"1:1@1: 1 -> ", "! 2:7", "2:1@1: 2 -> ", "! 2:1", "2:3@3: 3 -> "}));
  EXPECT_EQ(
      read_on({first, write("3.jsonl", "{\"x\": [[2, 3]]}\n")}, {.task = Target::kNone}),
      (Lines{"1:1@1: 1 -> ", "! 2:7",
             "!  has the features x0, x1, expected x0, as in " + first.string(), "cannot go on"}));
  // The line is neither read nor refused by the reader.
  EXPECT_EQ(read_on({write("4.ts", std::string("@univariate true\n@data\n1\n\0\n2\n", 29))},
                    {.format = Format::kTs}),
            (Lines{"1@3: 1 -> ", "! 4:1", "cannot go on"}));
}

TEST_F(Open, TellsWhereLabelsComeFrom) {
  const Paths files{write("a.txt", "one\n"), write("b.txt", "two\n")};
  EXPECT_EQ(findings_of(files).task, "one class per file");
  EXPECT_EQ(findings_of(files, {.task = Target::kClass}).task, "--task");
  const std::string table = good("labels.csv").string();
  EXPECT_EQ(findings_of({good("records.fa")}, {.label_from = table}).task, "labels are words");
}

// A single whole number does not look like a class; the first file decides.
TEST_F(Open, FilesGuessAnswersOnce) {
  std::string text;
  for (const char* y : {"1", "2", "1", "2"}) text += fmt::format("{{\"x\": [1], \"y\": {}}}\n", y);
  const DataSet found =
      read_all({write("1.jsonl", text), write("2.jsonl", "{\"x\": [1], \"y\": 3}\n")});
  EXPECT_EQ(found.schema.target, Target::kClass);
  EXPECT_EQ(found.sequences.back(), "2:1@1: 1 -> 3");
}

TEST_F(Open, SeveralFilesAreClasses) {
  write("Irish.txt", "Adam\n");
  write("Czech.txt.gz", io::gzip("Abl\n"));
  const DataSet found = read_all({folder_.path()});
  EXPECT_EQ(found.sequences,
            (Lines{"Czech:1@1: A | b | l -> Czech", "Irish:1@1: A | d | a | m -> Irish"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kText,
                                  .symbols = true,
                                  .target = Target::kClass,
                                  .targets = {"label"},
                                  .label_from = "file"}));
  EXPECT_EQ(read_all({folder_.path()}, {.task = Target::kClass}).schema, found.schema);
  EXPECT_EQ(read_all({folder_.path()}, {.task = Target::kNone}).schema.target, Target::kNone);
  EXPECT_EQ(sequences({folder_.path() / "Irish.txt"}), Lines{"1@1: A | d | a | m -> "});
  // A model knows where its labels came from, even for one file.
  EXPECT_EQ(sequences({folder_.path() / "Irish.txt"}, {.as = found.schema}),
            Lines{"1@1: A | d | a | m -> Irish"});
  EXPECT_EQ(
      refusal<ConfigError>({folder_.path()}, {.task = Target::kNumbers, .label_from = "file"}),
      place("Czech.txt.gz") +
          ": found targets for the task class, expected those for the task numbers: use --task "
          "class");
}

TEST_F(Open, FoldersAreClasses) {
  write("data/down/1.ts", kTs);
  write("data/up/2.ts", kTs);
  write("data/up/3.ts", kTs);
  const DataSet found = read_all({folder_.path() / "data"});
  EXPECT_EQ(found.sequences,
            (Lines{"1:1@5: 1 | 2 -> down", "2:1@5: 1 | 2 -> up", "3:1@5: 1 | 2 -> up"}));
  EXPECT_EQ(found.schema.label_from, "folder");
  EXPECT_EQ(sequences({folder_.path() / "data/up/3.ts"}, {.label_from = "folder"}),
            Lines{"1@5: 1 | 2 -> up"});
  EXPECT_EQ(read_all({folder_.path() / "data"}, {.task = Target::kNone}).schema.label_from, "");
}

TEST_F(Open, RefusesWhatDoesNotBelongIntoAFolder) {
  for (const char* name : {"README", "readme.txt", "notes.md", "LICENSE"}) {
    write("data/a.fa", kFasta);
    write(fmt::format("data/{}", name), "words\n");
    EXPECT_EQ(
        refusal({folder_.path() / "data"}),
        place(fmt::format("data/{}", name)) +
            ": does not look like data, expected only data files in the folder: move it elsewhere, "
            "or pass the data files instead of the folder");
    fs::remove_all(folder_.path() / "data");
  }
  write("data/a.fa", kFasta);
  write("data/more/a.fa", kFasta);
  EXPECT_EQ(refusal({folder_.path() / "data"}),
            place("data/a.fa") +
                ": found a file next to folders, expected only files, or one folder of files per "
                "class: move it elsewhere");
  write("deep/x/y/a.fa", kFasta);
  EXPECT_EQ(refusal({folder_.path() / "deep"}),
            place("deep/x/y") +
                ": found a folder nested too deeply, expected one folder of files per class");
}

TEST_F(Open, LeavesOutHiddenEntriesOfAFolder) {
  write("data/a/a.fa", kFasta);
  write("data/a/.DS_Store", "words\n");
  write("data/b/b.fa", kFasta);
  write("data/.git/HEAD", "words\n");
  EXPECT_EQ(read_all({folder_.path() / "data"}).schema.label_from, "folder");
}

TEST_F(Open, TakesLabelsFromATable) {
  const std::string table = good("labels.csv").string();
  const DataSet found = read_all({good("records.fa")}, {.label_from = table});
  EXPECT_EQ(found.sequences.at(1), "second@7: C -> y");
  EXPECT_EQ(found.sequences.at(2), "third|x@9: A -> x");
  EXPECT_EQ(found.schema, (Schema{.format = Format::kFasta,
                                  .symbols = true,
                                  .target = Target::kClass,
                                  .targets = {"label"},
                                  .label_from = table}));
  // The label table of the training data is not looked for.
  Schema model = found.schema;
  model.label_from = "no/such/table";
  EXPECT_EQ(sequences({good("records.fa")}, {.as = model}).at(2), "third|x@9: A -> ");
}

TEST_F(Open, TakesNumbersFromATable) {
  const DataSet found = read_all({good("records.fa")}, {.label_from = good("values.tsv").string()});
  EXPECT_EQ(found.schema.target, Target::kNumbers);
  EXPECT_EQ(found.sequences.at(2), "third|x@9: A -> -2");
  EXPECT_EQ(sequences({good("records.fa")},
                      {.task = Target::kClass, .label_from = good("values.tsv").string()})
                .at(1),
            "second@7: C -> 1");
  EXPECT_EQ(refusal({good("records.fa")},
                    {.task = Target::kNumbers, .label_from = good("labels.csv").string()}),
            good("labels.csv").string() + ":2: found \"x\", expected a number");
}

TEST_F(Open, RefusesABadTableOfLabels) {
  const auto expect = [&](std::string_view name, const std::string& message) {
    EXPECT_EQ(refusal({good("records.fa")}, {.label_from = bad(name).string()}), message);
  };
  expect("labels_missing.csv",
         fmt::format("{}:9: found the id \"third|x\", expected an id that {} lists",
                     good("records.fa").string(), bad("labels_missing.csv").string()));
  expect("labels_two.csv", bad("labels_two.csv").string() +
                               ":3:7: found \"y\", expected \"x\", as for the same id on line 1");
  expect("labels_three_columns.csv",
         bad("labels_three_columns.csv").string() + ":1: found 3 fields, expected 2");
  expect("labels_none.csv",
         bad("labels_none.csv").string() + ":2:8: found no label, expected a label for every id");
  const fs::path damaged = write("damaged.csv", "first,a\nsecond,b\xFF\n");
  EXPECT_EQ(refusal({good("records.fa")}, {.label_from = damaged.string()}),
            damaged.string() +
                ":2:9: found the byte 0xff, expected UTF-8 text: convert the file, "
                "such as with iconv");
  EXPECT_EQ(refusal<ConfigError>({good("records.fa")}, {.label_from = "fiel"}),
            "--label-from is 'fiel', expected file, folder, header, header:N or an existing table");
}

TEST_F(Open, RefusesOptionsThatDoNotFitTheFormat) {
  const auto expect = [&](const fs::path& file, const Options& options, std::string_view message) {
    EXPECT_EQ(refusal<ConfigError>({file}, options), file.string() + std::string(message));
  };
  expect(good("records.fa"), {.id = "name"},
         ": --id does not apply to the format fasta, which has no named ids");
  expect(good("lines.txt"), {.targets = {"y"}},
         ": --target does not apply to the format text, which has no named targets");
  expect(good("univariate.ts"), {.features = {"x"}},
         ": --features does not apply to the format ts, which has no named features");
  expect(good("classes.jsonl"), {.time = "t"},
         ": --time does not apply to the format jsonl, which has no time column");
  expect(good("classes.jsonl"), {.layout = Layout::kLong},
         ": --layout does not apply to the format jsonl, which has only one layout");
  expect(
      good("classes.jsonl"), {.features = {"a", "b"}},
      ": more than one name in --features does not apply to the format jsonl, which has one name "
      "for sequences");
  expect(good("classes.jsonl"), {.label_from = "header"},
         ": --label-from header does not apply to the format jsonl, which has no headers");
  expect(good("records.fa"), {.tokens = Tokens::kWords},
         ": --tokens words does not apply to the format fasta, which has letters only");
  expect(good("univariate.ts"), {.tokens = Tokens::kWords},
         ": found sequences of numbers, expected text for --tokens words");
  expect(good("words.jsonl"), {.lower = true},
         ": found lists of symbols, expected strings for --lower");
  const fs::path rows = write("rows.csv", "id,letter,y\n1,a,p\n1,b,p\n2,a,q\n2,b,q\n");
  expect(rows, {.layout = Layout::kLong, .lower = true},
         ": found sequences of symbols, one per field, expected text for --lower");
}

}  // namespace
}  // namespace rwa::formats
