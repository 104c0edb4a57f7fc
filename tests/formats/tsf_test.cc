// tests/formats/tsf_test.cc: the .tsf files of the Monash archive.
#include <string>

#include <gtest/gtest.h>

#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

class Tsf : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view text) {
    const std::filesystem::path file = folder_.path() / "x.tsf";
    io::put(file, text);
    return file;
  }
  std::string refused(std::string_view text) {
    const std::string file = write(text).string();
    const std::string message = refusal({file});
    EXPECT_TRUE(message.starts_with(file)) << message;
    return message.substr(std::min(file.size(), message.size()));
  }

  io::TempFolder folder_;
};

constexpr std::string_view kHeader =
    "@relation r\n@attribute name string\n@attribute start date\n@attribute n numeric\n";

std::string with_header(std::string_view rest) { return std::string(kHeader).append(rest); }

TEST_F(Tsf, ReadsASeriesPerLine) {
  const DataSet found = read_all({good("yearly.tsf")});
  EXPECT_EQ(found.sequences,
            (Lines{"T1@12: 3600 | 7700 | 12300 -> ", "T2@13: 19.13 | ? | 20 | 5 -> "}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kTsf,
                                  .features = {"value"},
                                  .id = "series_name",
                                  .time_form = TimeForm::kDate,
                                  .horizon = 6}));
}

TEST_F(Tsf, TellsWhatItFound) {
  const Findings findings = findings_of({good("yearly.tsf")});
  EXPECT_EQ(
      columns_of(findings),
      (Lines{"series_name: id, the first string attribute", "start_timestamp: start time, a date",
             "state: left out, the same for all steps", "stock: left out, the same for all steps",
             "value: feature, the numbers at the end of a line"}));
  EXPECT_EQ(findings.task, "a forecasting format");
  EXPECT_EQ(missing_places({good("yearly.tsf")}), (Lines{"", "13:37"}));
}

TEST_F(Tsf, NumbersSeriesWithoutAName) {
  EXPECT_EQ(sequences({write("@relation r\n@frequency daily\n@data\n1,2\n3\n")}),
            (Lines{"1@4: 1 | 2 -> ", "2@5: 3 -> "}));
}

TEST_F(Tsf, HasNoTargets) {
  EXPECT_EQ(refusal<ConfigError>({good("yearly.tsf")}, {.task = Target::kClass}),
            good("yearly.tsf").string() +
                ": found no targets, expected some for --task class: use --target or --label-from");
}

TEST_F(Tsf, SeveralFilesAreNotClasses) {
  const std::filesystem::path copy = folder_.path() / "copy.tsf";
  std::filesystem::copy_file(good("yearly.tsf"), copy);
  EXPECT_EQ(read_all({good("yearly.tsf"), copy}).schema.target, Target::kNone);
}

TEST_F(Tsf, GoesOnAfterABadLine) {
  EXPECT_EQ(read_on({write(with_header("@data\na:1972-01-01 00-00-00:1:2,x\nb:1\n"
                                       "c:1972-01-01 00-00-00:1:2,3\n"))}),
            (Lines{"! 6:27", "! 7:3", "c@8: 2 | 3 -> "}));
}

TEST_F(Tsf, RefusesABadHeader) {
  EXPECT_EQ(refused("@relation r\n@attribute a text\n@data\n"),
            ":2:14: found \"text\", expected string, numeric or date");
  EXPECT_EQ(refused("@relation r\n@attribute\n@data\n"),
            ":2:1: found no name, expected @attribute NAME TYPE");
  EXPECT_EQ(refused("@relation r\n@horizont 3\n@data\n"),
            ":2:1: found \"@horizont\", expected @horizon");
  EXPECT_EQ(refused("@relation r\n@horizon none\n@data\n"),
            ":2:10: found \"none\", expected a whole number of at least 1");
  EXPECT_EQ(refused("@relation r\n@missing maybe\n@data\n"),
            ":2:10: found \"maybe\", expected true or false");
  EXPECT_EQ(refused("@relation r\n@horizon 3\n"),
            ":2: found the end of the file, expected @data, then sequences");
}

TEST_F(Tsf, RefusesABadLine) {
  EXPECT_EQ(refused(with_header("@data\na:1972-01-01 00-00-00:1,2\n")),
            ":6:23: found 3 parts separated by \":\", expected 4: 3 attributes and the series");
  EXPECT_EQ(refused(with_header("@data\na:1972-01-01 00-00-00:1:2:3\n")),
            ":6:26: found 5 parts separated by \":\", expected 4: 3 attributes and the series");
  EXPECT_EQ(refused(with_header("@data\na:1972-01-01:1:2\n")),
            ":6:3: found \"1972-01-01\", expected a date like 1972-01-31 00-00-00");
  EXPECT_EQ(refused(with_header("@data\na:1972-01-01 00-00-00:b:2\n")),
            ":6:23: found \"b\", expected a number");
  EXPECT_EQ(refused(with_header("@data\na:1972-01-01 00-00-00:1:2,x\n")),
            ":6:27: found \"x\", expected a number");
  EXPECT_EQ(refused(with_header("@data\na:1972-01-01 00-00-00:1:\n")),
            ":6:25: found no numbers, expected a series");
}

TEST_F(Tsf, RefusesDataThatContradictsTheHeader) {
  EXPECT_EQ(refused("@relation r\n@missing false\n@data\n1,2\n1,?\n"),
            ":5:3: found \"?\", expected a number, as line 2 says (@missing false): correct that "
            "line or the data");
  EXPECT_EQ(refused("@relation r\n@equallength true\n@data\n1,2\n1\n"),
            ":5:1: found a series of 1 step, expected 2, as in the first series, as line 2 says "
            "(@equallength true): correct that line or the data");
}

}  // namespace
}  // namespace rwa::formats
