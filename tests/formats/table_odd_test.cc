// tests/formats/table_odd_test.cc: tables as people have them: how each is read, and what is said
// about every column.
#include <gtest/gtest.h>

#include "io/gzip_testing.h"
#include "table_testing.h"

namespace rwa::formats {
namespace {

class OddTable : public Tables {
 protected:
  // A line for each column, then the task, then warnings.
  Lines findings(std::string_view text, const Options& options = {}) {
    io::put(file_, text);
    const auto reader =
        open_table(std::make_unique<Source>(file_), options, std::make_shared<Vocabulary>());
    Lines lines;
    for (const Findings::Column& column : reader->findings().columns) {
      lines.push_back(fmt::format("{}: {}, {}", column.name, column.role, column.why));
    }
    lines.push_back(
        fmt::format("{}: {}", to_string(reader->schema().target), reader->findings().task));
    for (const std::string& warning : reader->findings().warnings) lines.push_back("! " + warning);
    return lines;
  }
};

constexpr const char* kNoTarget = "forecast: found no target column";

TEST_F(OddTable, ASeriesCalledYIsNoTarget) {
  EXPECT_EQ(
      findings("ds,y\n2020-01-01,5.5\n2020-01-02,6\n2020-01-03,4\n"),
      (Lines{"ds: time, dates", "y: feature, numbers, and no other column has any", kNoTarget}));
}

TEST_F(OddTable, TheOrderOfDayAndMonthIsTheRegularOne) {
  std::string months = "date,v\n";
  for (const char* year : {"2020", "2021"}) {
    for (int month = 1; month <= 12; ++month) months += fmt::format("{}/1/{},5\n", month, year);
  }
  EXPECT_EQ(findings(months).front(), "date: time, its name; dates, month first");
}

TEST_F(OddTable, DatesAreTimesWhateverTheirName) {
  EXPECT_EQ(findings("datetime,value\n2020-01-01 00:00:00+01:00,5\n2020-01-01 01:00:00+01:00,6\n"),
            (Lines{"datetime: time, its name; dates", "value: feature, numbers", kNoTarget}));
  EXPECT_EQ(findings("Month,Passengers\n1949-01,112\n1949-02,118\n"),
            (Lines{"Month: time, months", "Passengers: feature, numbers", kNoTarget}));
  EXPECT_EQ(findings("when,what\n1600000000,5\n1600000060,6\n"),
            (Lines{"when: time, seconds since 1970", "what: feature, numbers", kNoTarget}));
  EXPECT_EQ(findings("2020-01-01,5\n2020-01-02,6\n2020-01-03,4\n"),
            (Lines{"1: time, dates", "2: feature, numbers", kNoTarget}));
  EXPECT_EQ(sequences("2020-01-01,5\n2020-01-02,6\n"), Lines{"1@1: 5 | 6 -> "});
}

TEST_F(OddTable, AnIndexOfPandasIsNoFeature) {
  EXPECT_EQ(findings(",0\n1821,269\n1822,321\n1823,585\n"),
            (Lines{"column 1: time, years", "0: feature, numbers", kNoTarget}));
  EXPECT_EQ(findings(",Quarter,Income\n0,1970 Q1,0.97\n1,1970 Q2,1.17\n2,1970 Q3,1.55\n"),
            (Lines{"column 1: left out, row numbers or names", "Quarter: time, quarters",
                   "Income: feature, numbers", kNoTarget}));
  EXPECT_EQ(findings(",a,b\n7,1,2\n3,4,5\n9,4,5\n").front(),
            "column 1: left out, row numbers or names");
  EXPECT_EQ(findings("Unnamed: 0,a,b\n0,1,2\n1,4,5\n").front(),
            "Unnamed: 0: left out, row numbers or names");
  EXPECT_EQ(
      findings(",t0,t1,t2,class\n57,1,2,3,x\n58,4,5,6,y\n59,4,5,6,y\n60,4,5,6,x\n"),
      (Lines{"column 1: left out, row numbers or names", "t0: step, numbers", "t1: step, numbers",
             "t2: step, numbers", "class: target, its name", "class: \"class\" has 2 words"}));
}

TEST_F(OddTable, ATableFromGermany) {
  const std::string text =
      "Datum;Temperatur;Feuchte;Zustand\n"
      "01.02.2020 00:00;3,5;80,25;gut\n"
      "01.02.2020 01:00;-1,25;7e1;gut\n"
      "01.02.2020 02:00;4;80,5;schlecht\n"
      "01.02.2020 03:00;4;80,5;gut\n";
  EXPECT_EQ(
      findings(text),
      (Lines{"Datum: time, dates, day first", "Temperatur: feature, numbers",
             "Feuchte: feature, numbers", "Zustand: target, the only column of words that repeat",
             "class-per-step: the words of \"Zustand\" change within sequences"}));
  EXPECT_EQ(sequences(text),
            Lines{"1@2: 3.5 80.25 | -1.25 70 | 4 80.5 | 4 80.5 -> gut gut schlecht gut"});
  EXPECT_EQ(findings("when,a\n01/02/2020,5\n02/02/2020,6\n03/02/2020,6\n").back(),
            "! the dates in \"when\" could be day first or month first; read as dates, day first");
  EXPECT_EQ(findings("when,a\n01/30/2020,5\n01/31/2020,6\n02/01/2020,6\n").front(),
            "when: time, dates, month first");
}

TEST_F(OddTable, DecimalCommasAreGuessedOrGiven) {
  EXPECT_EQ(sequences("a\tb\n1,5\t2\n2,5\t3\n"), Lines{"1@2: 1.5 2 | 2.5 3 -> "});
  EXPECT_EQ(sequences("a,b\n\"1,5\",2\n\"2,25\",3\n"), Lines{"1@2: 1.5 2 | 2.25 3 -> "});
  EXPECT_EQ(sequences("a;b\n1;2\n2;3,125\n", {.decimal = ','}), Lines{"1@2: 1 2 | 2 3.125 -> "});
  // Could be a thousand.
  EXPECT_EQ(refusal("a,b\n\"1,500\",2\n\"2,250\",3\n"),
            ":2:2: found \"1,500\", expected a number: remove thousands separators, or use "
            "--decimal , if , is the decimal mark");
  EXPECT_EQ(sequences("a,b\n\"1,500\",2\n\"2,250\",3\n", {.decimal = ','}),
            Lines{"1@2: 1.5 2 | 2.25 3 -> "});
  EXPECT_EQ(sequences("id;a;y\n1;1,5;0,5\n2;2,5;1,5\n").at(0), "1@2: 1.5 -> 0.5");
}

TEST_F(OddTable, ExcelNamesTheDelimiter) {
  EXPECT_EQ(sequences("sep=;\na;b\n1;2\n3;4\n"), Lines{"1@3: 1 2 | 3 4 -> "});
}

TEST_F(OddTable, LinesMayEndWithCarriageReturns) {
  EXPECT_EQ(sequences("a,b\r1,2\r3,4\r"), Lines{"1@2: 1 2 | 3 4 -> "});
  EXPECT_EQ(refusal("a,b\r1,2\r3,x\r5,6"), ":3:3: found \"x\", expected a number");
}

TEST_F(OddTable, AnIdIsFoundWhereTimeRestarts) {
  const std::string text = "time,machine,load\n1,press,5\n2,press,6\n1,saw,7\n2,saw,8\n3,saw,9\n";
  EXPECT_EQ(findings(text),
            (Lines{"time: time, its name", "machine: id, time restarts where it changes",
                   "load: feature, numbers", kNoTarget}));
  EXPECT_EQ(sequences(text), (Lines{"press@2: 5 | 6 -> ", "saw@4: 7 | 8 | 9 -> "}));
  EXPECT_EQ(sequences("when,unit_no,load\n2020-01-01,1,5\n2020-01-02,1,6\n2020-01-01,2,7\n"
                      "2020-01-02,2,8\n")
                .size(),
            2);
}

TEST_F(OddTable, ARestartBelowTheSampleNamesTheColumnThatChanges) {
  std::string text = "time,machine,load\n";
  for (int i = 0; i < 200'000; ++i) text += fmt::format("{},press,5\n", i);
  EXPECT_EQ(refusal(text + "0,saw,7\n1,saw,8\n"),
            ":200002:1: found \"0\", expected a time no earlier than \"199999\" in the row above: "
            "time restarts where \"machine\" changes: try --id machine");
}

TEST_F(OddTable, MixedSequencesAreNamed) {
  EXPECT_EQ(findings("date,shop,sales\n2020-01-01,a,5\n2020-01-01,b,6\n2020-01-02,a,7\n"
                     "2020-01-02,b,8\n")
                .back(),
            "! rows with the same \"date\" differ in \"shop\": if \"shop\" tells sequences apart, "
            "sort the table by it and use --id");
}

TEST_F(OddTable, ColumnsOfLettersAreASequence) {
  const std::string text = "p1,p2,p3,p4,class\na,c,g,t,+\na,g,g,t,-\nt,c,g,,+\na,c,a,t,-\n";
  EXPECT_EQ(findings(text), (Lines{"p1: symbol, single letters", "p2: symbol, single letters",
                                   "p3: symbol, single letters", "p4: symbol, single letters",
                                   "class: target, its name", "class: \"class\" has 2 words"}));
  const DataSet found = read(text);
  EXPECT_TRUE(found.schema.symbols);
  EXPECT_EQ(found.schema.features, Lines{});
  EXPECT_EQ(found.sequences.at(0), "1@2: a | c | g | t -> +");
  EXPECT_EQ(found.sequences.at(2), "3@4: t | c | g -> +");
  EXPECT_EQ(refusal("p1,p2,p3,class\na,,g,+\na,g,g,-\n"),
            ":2:3: found an empty field, expected a symbol");
  // Without a header, and for a model.
  EXPECT_EQ(sequences("+,a,c,g,t\n-,c,c,g,t\n+,a,a,g,t\n-,g,t,g,t\n").at(1),
            "2@2: c | c | g | t -> -");
  EXPECT_EQ(sequences("p1,p2,p3\na,c,g\nt,t,t\n", {.as = found.schema}).at(1),
            "2@3: t | t | t -> ");
}

TEST_F(OddTable, EveryColumnIsAccountedFor) {
  EXPECT_EQ(findings("id,t,a,remark,site,empty\n1,0,5,why,x,\n1,1,6,ever,x,\n2,0,7,not,y,\n"
                     "2,1,8,so,y,\n"),
            (Lines{"id: id, its name", "t: time, its name", "a: feature, numbers",
                   "remark: left out, text beside numbers",
                   "site: target, the only column of words that repeat", "empty: left out, empty",
                   "class: \"site\" has 2 words"}));
  EXPECT_EQ(findings("t,a,kind,site\n1,5,p,x\n2,6,p,x\n3,7,q,y\n4,8,q,y\n").back(),
            "! \"kind\" or \"site\" could be the target: use --target, or the task is to predict "
            "the next step");
  EXPECT_EQ(findings("id,a,bad\n1,5,0\n1,6,0\n2,7,1\n2,5,1\n3,5,0\n3,5,0\n").back(),
            "! \"bad\" could be the target: use --target, or the task is to predict the next "
            "step");
  EXPECT_EQ(findings("t,a,b\n1,5,5\n2,6,6\n", {.features = {"a"}}),
            (Lines{"t: time, its name", "a: feature, --features", "b: left out, not in --features",
                   kNoTarget}));
}

std::string labelled(int odd_line, const std::string& odd) {
  std::string text = "id,a,label\n";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format("{},{},{}\n", i / 3, i, i + 2 == odd_line ? odd : i < 6 ? "1" : "0");
  }
  return text;
}

TEST_F(OddTable, ARowThatDecidesAloneIsNamed) {
  EXPECT_EQ(findings(labelled(0, "")).back(), "class: \"label\" has few whole numbers");
  EXPECT_EQ(findings(labelled(6, "O")).back(),
            "! the task is class-per-step only because \"label\" changes from \"1\" to \"O\" on "
            "line 6; if that is a mistake, correct it or use --task class");
  std::string fractions = "id,a,label\n", bars = "text,label\n";
  for (int i = 0; i < 12; ++i) {
    fractions += fmt::format("{},{},{}\n", i, i, i == 5 ? "0.5" : i < 6 ? "1" : "0");
    bars += fmt::format("ab{},{}\n", i, i == 5 ? "x|y" : i < 6 ? "x" : "y");
  }
  EXPECT_EQ(findings(fractions).back(),
            "! the task is numbers only because of line 7, where \"label\" is 0.5; if that is a "
            "mistake, correct it or use --task class");
  EXPECT_EQ(findings(bars).back(),
            "! the task is labels only because of line 7, where \"label\" is \"x|y\"; if that is a "
            "mistake, use --task class");
}

TEST_F(OddTable, MissingNumbersHaveTheirPlace) {
  const auto place = [&](std::string_view text) {
    io::put(file_, text);
    const auto reader =
        open_table(std::make_unique<Source>(file_), {}, std::make_shared<Vocabulary>());
    Sequence sequence;
    reader->next(sequence);
    return fmt::format("{}:{}", sequence.missing.line, sequence.missing.column);
  };
  EXPECT_EQ(place("id,a,b\n1,2,3\n1,4,\n1,,5\n"), "3:5");
  EXPECT_EQ(place("1,2,3,4\n1,5,?,7\n2,5,6,7\n2,5,6,7\n"), "0:0");
  EXPECT_EQ(place("1,2,?,4\n1,5,6,7\n2,5,6,7\n2,5,6,7\n"), "1:5");
  EXPECT_EQ(place("1,2,4,\n1,5,6,7\n2,5,6,7\n2,5,6,7\n"), "0:0");
}

TEST_F(OddTable, DatesDoNotMakeATableLong) {
  const std::string texts =
      "created_at,text,label\n2020-01-01,so good,x\n2020-01-02,so bad,y\n2020-01-03,well,x\n"
      "2020-01-04,no,y\n";
  EXPECT_EQ(findings(texts).at(0), "created_at: left out, dates");
  EXPECT_EQ(findings(texts).at(1), "text: text, text");
  EXPECT_EQ(sequences(texts).at(2), "3@4: w | e | l | l -> x");
  EXPECT_EQ(findings("made,tweet\n2020-01-01 10:00:00,ab\n2020-01-02 10:00:00,cd\n"),
            (Lines{"made: left out, dates", "tweet: text, text", kNoTarget}));
  EXPECT_EQ(schema("measured,t0,t1,t2,label\n2020-01-01,1,2,3,x\n2020-01-02,4,5,6,y\n").layout,
            Layout::kWide);
  EXPECT_EQ(schema("day,weather\n2020-01-01,sun\n2020-01-02,rain\n2020-01-03,sun\n"
                   "2020-01-04,rain\n")
                .layout,
            Layout::kLong);
}

TEST_F(OddTable, TheOrderOfDayAndMonthFitsMostDates) {
  std::string text = "when,a\n";
  for (int day = 1; day <= 14; ++day) text += fmt::format("01/{:02}/2020,{}\n", day, day);
  EXPECT_EQ(findings(text).front(), "when: time, dates, month first");
  EXPECT_EQ(sequences(text).size(), 1);
}

TEST_F(OddTable, DatesAndTimesOfDayMayStandApart) {
  const std::string text =
      "Date;Time;CO\n10/03/2004;18.00.00;2,5\n10/03/2004;19.00.00;2\n"
      "11/03/2004;00.00.00;2,25\n";
  EXPECT_EQ(findings(text).at(0), "Date: time, dates, day first");
  EXPECT_EQ(findings(text).at(1), "Time: time, times of day");
  EXPECT_EQ(sequences(text), Lines{"1@2: 2.5 | 2 | 2.25 -> "});
  EXPECT_EQ(refusal("date,time,x\n2020-01-01,10:00,1\n2020-01-01,09:00,2\n2020-01-02,09:00,2\n"),
            ":3:1: found \"2020-01-01\", expected a time no earlier than \"2020-01-01\" in the row "
            "above: sort the table by time, or use --id if it has several sequences");
}

TEST_F(OddTable, ANameBesideStepsIsAnId) {
  EXPECT_EQ(findings("gene,age,t1,t2,t3,t4\nabc,7,1,2,3,4\nxyz,8,5,6,7,8\n"),
            (Lines{"gene: id, a different name in each row",
                   "age: left out, not numbered like the steps", "t1: step, numbers",
                   "t2: step, numbers", "t3: step, numbers", "t4: step, numbers", kNoTarget}));
}

TEST_F(OddTable, TextThatShouldBeNumbersIsNamed) {
  const std::string text = "t,a,price\n1,5,\"$1,000.50\"\n2,6,$7\n3,6,$8\n";
  EXPECT_EQ(findings(text).at(2), "price: left out, numbers with units or thousands separators");
  EXPECT_EQ(findings(text).back(),
            "! \"price\" is left out: found \"$1,000.50\", expected a number: remove units and "
            "thousands separators");
}

TEST_F(OddTable, TextThatShouldBeNumbersIsNoSequence) {
  EXPECT_EQ(refusal("Datum;Umsatz\n01.02.2020;1.704,37\n02.02.2020;2.005,11\n"),
            ":2: found \"1.704,37\" for \"Umsatz\", expected a number: remove units and thousands "
            "separators");
}

TEST_F(OddTable, OtherTargetsAndOtherLayoutsAreNamed) {
  EXPECT_EQ(findings("id,a,label,class\n1,5,x,p\n1,6,x,p\n2,7,y,q\n").back(),
            "! \"class\" could be the target too: use --target");
  EXPECT_EQ(
      findings("a,b,class\n1,5,x\n2,6,x\n3,7,y\n4,8,y\n").back(),
      "! without an id or a time, all rows are read as one sequence: use --id, or --layout wide "
      "if each row is a sequence");
}

// A damaged file gives no further rows.
TEST_F(OddTable, ADamagedSourceCannotBeSkipped) {
  std::string text = "id,a\n";
  for (int i = 0; i < 400'000; ++i) text += fmt::format("{},{}\n", i / 10, i % 1009);
  const std::string packed = io::gzip(text);
  for (const bool wide : {false, true}) {
    io::put(file_, packed.substr(0, packed.size() - 100));
    const auto reader = open_table(std::make_unique<Source>(file_),
                                   {.layout = wide ? Layout::kWide : Layout::kLong},
                                   std::make_shared<Vocabulary>());
    Sequence sequence;
    try {
      while (reader->next(sequence)) {
      }
      ADD_FAILURE() << "the end of a truncated file was not refused";
    } catch (const InputError&) {
      EXPECT_FALSE(reader->skip());
    }
  }
}

// The lines of sequences that can be read, and the messages about the others.
TEST_F(OddTable, ReadingGoesOnAfterARefusedSequence) {
  const auto all = [&](std::string_view text) {
    io::put(file_, text);
    const auto vocabulary = std::make_shared<Vocabulary>();
    const auto reader = open_table(std::make_unique<Source>(file_), {}, vocabulary);
    Lines lines;
    for (Sequence sequence;;) {
      try {
        if (!reader->next(sequence)) return lines;
        lines.push_back(to_text(sequence, *vocabulary));
      } catch (const InputError& error) {
        lines.push_back(std::string(error.what()).substr(file_.string().size()));
        if (!reader->skip()) return lines;
      }
    }
  };
  EXPECT_EQ(all("id,a,b\n1,2,3\n1,4,x\n1,5,6\n2,7\n2,8,9\n3,1,2\n3,2,3\n"),
            (Lines{":3:5: found \"x\", expected a number",
                   ":6:1: found \"2\" after a malformed row, expected a sequence with all its rows",
                   "3@7: 1 2 | 2 3 -> "}));
  EXPECT_EQ(
      all("id,a\n1,2\n1\n1,3\n2,4\n2,5\n3\n4,7\n4,8\n"),
      (Lines{":3: found 1 field, expected 2; the sequence \"1\" may lack this row",
             ":7: found 1 field, expected 2; the sequence \"2\" may lack this row",
             ":8:1: found \"4\" after a malformed row, expected a sequence with all its rows"}));
  // A damaged id is no end of the sequence.
  EXPECT_EQ(all("id,a\ns,2\ns,3\ns\xFF,4\ns,5\nt,6\n"),
            (Lines{":4:2: found the byte 0xff, expected UTF-8 text: convert the file, such as with "
                   "iconv; the sequence \"s\" may lack this row",
                   "t@6: 6 -> "}));
  EXPECT_EQ(all("1,2,3\n1,4,x\n2,5\n2,7,8\n1,3,4\n"),
            (Lines{"1@1: 2 | 3 -> 1", ":2:5: found \"x\", expected a number",
                   ":3: found 2 fields, expected 3", "4@4: 7 | 8 -> 2", "5@5: 3 | 4 -> 1"}));
  EXPECT_EQ(all("a,b\n1,2\n3,x\n5,6\n"), Lines{":3:3: found \"x\", expected a number"});
  EXPECT_EQ(
      all("1,2,3\n2,4,5\n\n1,6,7\n2,8,9\n"),
      (Lines{"1@1: 2 | 3 -> 1", "2@2: 4 | 5 -> 2", ":3: found an empty line, expected 3 fields",
             "3@4: 6 | 7 -> 1", "4@5: 8 | 9 -> 2"}));
}

}  // namespace
}  // namespace rwa::formats
