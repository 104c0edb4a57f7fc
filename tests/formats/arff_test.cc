// tests/formats/arff_test.cc: ARFF, univariate, multivariate and of text.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

class Arff : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view text) {
    const std::filesystem::path file = folder_.path() / "x.arff";
    io::put(file, text);
    return file;
  }
  Lines read(std::string_view text, const Options& options = {}) {
    return sequences({write(text)}, options);
  }
  template <typename Error = InputError>
  std::string refused(std::string_view text, const Options& options = {}) {
    const std::string file = write(text).string();
    const std::string message = refusal<Error>({file}, options);
    EXPECT_TRUE(message.starts_with(file)) << message;
    return message.substr(std::min(file.size(), message.size()));
  }

  io::TempFolder folder_;
};

// After the attributes a and b.
std::string two(std::string_view rest) {
  return "@relation r\n@attribute a numeric\n@attribute b numeric\n" + std::string(rest);
}

TEST_F(Arff, ReadsAUnivariateFile) {
  const DataSet found = read_all({good("arrows.arff")});
  EXPECT_EQ(found.sequences, (Lines{"1@11: -1.9630089 | -1.957825 | 2 -> 0",
                                    "2@13: 1.5 | ? | -30 -> 2 or 3", "3@15: 7 | 8 -> 1"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kArff,
                                  .features = {"x"},
                                  .target = Target::kClass,
                                  .targets = {"target"}}));
}

// The same numbers and classes, up to the line and the class with a blank, which .ts cannot have.
TEST_F(Arff, EqualsTheSameDataInTs) {
  const auto without_lines = [](Lines lines) {
    for (std::string& line : lines) {
      line.erase(line.find('@'), line.find(':') - line.find('@'));
      if (line.ends_with("2_or_3")) line.replace(line.size() - 6, 6, "2 or 3");
    }
    return lines;
  };
  EXPECT_EQ(without_lines(sequences({good("arrows.arff")})),
            without_lines(sequences({good("arrows.ts")})));
  EXPECT_EQ(without_lines(sequences({good("motions.arff")})),
            without_lines(sequences({good("motions.ts")})));
  EXPECT_EQ(read_all({good("motions.arff")}).schema.features,
            read_all({good("motions.ts")}).schema.features);
}

TEST_F(Arff, ReadsARelation) {
  const DataSet found = read_all({good("motions.arff")});
  EXPECT_EQ(found.sequences, (Lines{"1@9: 1 10 | 2 20 | 3 30 -> up", "2@10: 4 -15 | 5 0.5 -> down",
                                    "3@11: 6 ? | ? 7 | 8 9 -> up"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kArff,
                                  .features = {"dim_0", "dim_1"},
                                  .target = Target::kClass,
                                  .targets = {"activity"}}));
}

TEST_F(Arff, ReadsText) {
  const DataSet found = read_all({good("words.arff")});
  EXPECT_EQ(found.sequences, (Lines{"1@5: a |   | ' | b | ' -> pos", "2@6: Ä | ä -> neg",
                                    "3@7: \" | \n | \\ -> neg"}));
  EXPECT_EQ(found.schema, (Schema{.format = Format::kArff,
                                  .symbols = true,
                                  .features = {"text"},
                                  .target = Target::kClass,
                                  .targets = {"class"}}));
  EXPECT_EQ(sequences({good("words.arff")}, {.kmer = 2}).at(1), "2@6: Ää -> neg");
}

TEST_F(Arff, FindsTheTarget) {
  // By name, even if another one is the last.
  EXPECT_EQ(read(two("@attribute CLASS {u,v}\n@attribute c {p,q}\n@data\n1,2,u,p\n")),
            Lines{"1@7: 1 | 2 -> u"});
  // A number by name.
  const DataSet found = read_all({write(two("@attribute target numeric\n@data\n1,2,0.5\n"))});
  EXPECT_EQ(found.sequences, Lines{"1@6: 1 | 2 -> 0.5"});
  EXPECT_EQ(found.schema.target, Target::kNumbers);
  // The only one that lists classes.
  EXPECT_EQ(read("@attribute c {u,v}\n@attribute a real\n@data\nu,1\n"), Lines{"1@4: 1 -> u"});
  // None.
  EXPECT_EQ(read(two("@data\n1,2\n")), Lines{"1@5: 1 | 2 -> "});
}

TEST_F(Arff, OptionsNameAttributes) {
  const std::string text = two("@attribute c {u,v}\n@attribute d {p,q}\n@data\n1,2,u,p\n");
  EXPECT_EQ(read(text, {.targets = {"c"}}), Lines{"1@7: 1 | 2 -> u"});
  EXPECT_EQ(read(text, {.targets = {"a"}}), Lines{"1@7: 2 -> 1"});
  EXPECT_EQ(read(text, {.task = Target::kClass, .targets = {"b"}}), Lines{"1@7: 1 -> 2"});
  EXPECT_EQ(read(text, {.task = Target::kNone}), Lines{"1@7: 1 | 2 -> "});
  EXPECT_EQ(read(text, {.targets = {"c"}, .id = "d"}), Lines{"p@7: 1 | 2 -> u"});
  EXPECT_EQ(refused<ConfigError>(text, {.targets = {"e"}}),
            ": has no attribute \"e\", did you mean a, b or c?");
  const std::string both = "@attribute s string\n@attribute a real\n@data\nab,1\n";
  EXPECT_EQ(read(both, {.features = {"s"}}), Lines{"1@4: a | b -> "});
  EXPECT_EQ(
      refused<ConfigError>(both, {.features = {"a"}}),
      ": found the attribute 'a' for --features, expected a string or relational one: numbers "
      "are the steps of one feature");
  EXPECT_EQ(refused<ConfigError>(both, {.targets = {"s"}}),
            ": found a string or relational attribute 's' for --target, expected {classes} or a "
            "number");
  EXPECT_EQ(refused(both),
            ": found 1 numeric attribute, 0 relational attributes and 1 string attribute, expected "
            "either numbers, the steps of a sequence, or one relational attribute, or one string: "
            "use --features NAME for the last two");
}

TEST_F(Arff, AStringCanBeTheId) {
  EXPECT_EQ(read("@attribute Name string\n@attribute a real\n@data\n'a b',1\n"),
            Lines{"a b@4: 1 -> "});
  EXPECT_EQ(read("@attribute id string\n@attribute s string\n@data\nx,ab\n"),
            Lines{"x@4: a | b -> "});
}

TEST_F(Arff, ReadsWhatAModelTakes) {
  const Schema model{.format = Format::kTs,
                     .features = {"height"},
                     .target = Target::kClass,
                     .targets = {"class"}};
  const DataSet found = read_all({good("arrows.arff")}, {.as = model});
  Schema expected = model;
  expected.format = Format::kArff;
  EXPECT_EQ(found.schema, expected);
  EXPECT_EQ(read("@attribute a real\n@attribute c {u}\n@data\n1,?\n", {.as = model}),
            Lines{"1@4: 1 -> "});
  EXPECT_EQ(refused("@attribute a real\n@attribute c {u}\n@data\n1,?\n"),
            ":4:3: found \"?\", expected one of the classes on line 2: u");
}

TEST_F(Arff, TellsWhatItFound) {
  const auto findings = findings_of({good("motions.arff")});
  EXPECT_EQ(columns_of(findings),
            (Lines{"the motion: features, the relational attribute",
                   "activity: target, the last attribute, and lists classes"}));
  EXPECT_EQ(findings.task, "\"activity\" lists 2 classes");
  EXPECT_EQ(findings_of({write(two("@data\n1,2\n"))}).task,
            "no attribute lists classes or is called class, target, label or y");
  EXPECT_EQ(findings_of({write(two("@data\n1,2\n"))}, {.targets = {"b"}}).task, "\"b\" is numeric");
  EXPECT_EQ(columns_of(findings_of({good("arrows.arff")})).at(1), "att2: step, a number");
}

TEST_F(Arff, KnowsWhereAValueIsMissing) {
  EXPECT_EQ(missing_places({good("arrows.arff")}), (Lines{"", "13:6", ""}));
  // The first by step, as in x.
  EXPECT_EQ(missing_places({good("motions.arff")}), (Lines{"", "", "11:9"}));
}

TEST_F(Arff, GoesOnAfterABadRow) {
  EXPECT_EQ(read_on({write(two("@data\n1,2\nx,3\n4\n'5,6\n7,8\n"))}),
            (Lines{"1@5: 1 | 2 -> ", "! 6:1", "! 7:1", "! 8:1", "5@9: 7 | 8 -> "}));
}

TEST_F(Arff, RefusesABadHeader) {
  EXPECT_EQ(refused("@relation r\n@attribute a date \"yyyy\"\n@data\n"),
            ":2:14: found \"date\", expected numeric, real, integer, string, relational or "
            "{classes}");
  EXPECT_EQ(refused("@relation r\n@attribute a\n"),
            ":2:13: found no type, expected numeric, real, integer, string, relational or "
            "{classes}");
  EXPECT_EQ(refused("@relation r\n@attribute\n"),
            ":2:1: found no name, expected @attribute NAME TYPE");
  EXPECT_EQ(refused("@relation r\n@atribute a real\n"),
            ":2:1: found \"@atribute\", expected @attribute");
  EXPECT_EQ(refused("@relation r\n@attribute a real real\n"),
            ":2:19: found \"real\", expected the end of the line after the type");
  EXPECT_EQ(refused("@relation r\n@attribute c {a,b\n"),
            ":2:14: found \"{a,b\", expected classes between { and }, separated by commas");
  EXPECT_EQ(refused("@relation r\n@attribute c {a,,b}\n"),
            ":2:17: found no value, expected a class between { and }");
  EXPECT_EQ(refused("@relation r\n@attribute c {a,'a'}\n"),
            ":2:17: found \"a\" twice, expected each class once");
  EXPECT_EQ(refused("@relation r\n@attribute 'c real\n"),
            ":2:12: found \"'c real\", expected a closing '");
  EXPECT_EQ(refused(two("@attribute a real\n")),
            ":4:1: found a second attribute \"a\", expected another name");
  EXPECT_EQ(refused("@relation r\n@data\n1\n"),
            ":2:1: found @data, expected @attribute lines before it");
  EXPECT_EQ(refused(two("@data\n% nothing\n")),
            ":5: found the end of the file, expected a sequence after @data");
  EXPECT_EQ(refused(two("")), ":3: found the end of the file, expected @data, then sequences");
}

TEST_F(Arff, RefusesABadRelation) {
  const std::string begin = "@relation r\n@attribute x relational\n";
  EXPECT_EQ(refused(begin + "@data\n1\n"),
            ":3:1: found \"@data\", expected attributes, then @end x, for the relation on line 2");
  EXPECT_EQ(refused(begin + "@attribute a string\n@end x\n"),
            ":3:1: found the attribute \"a\", expected a number: the attributes of \"x\" are the "
            "steps of a dimension");
  const std::string data = begin + "@attribute a real\n@attribute b real\n@end x\n@data\n";
  EXPECT_EQ(refused(data + "?\n"),
            ":7:1: found \"?\", expected dimensions in quotes, separated by \\n");
  EXPECT_EQ(refused(data + "'1,2\\n3'\n"),
            ":7:7: found a dimension of 1 value, expected 2, one per attribute of \"x\"");
  EXPECT_EQ(refused(data + "'1,2\\n3,4'\n'1,2'\n"),
            ":8:2: found 1 dimension, expected 2, as in the first sequence");
  EXPECT_EQ(refused(data + "'1,2\\n3,z'\n"), ":7:9: found \"z\", expected a number");
}

TEST_F(Arff, RefusesABadRow) {
  const std::string begin = two("@attribute c {u,v}\n@data\n");
  EXPECT_EQ(refused(begin + "1,2,w\n"),
            ":6:5: found \"w\", expected one of the classes on line 4: u v");
  EXPECT_EQ(refused(begin + "1,2,u\n1,u\n"),
            ":7:3: found 2 values separated by commas, expected 3, one per attribute");
  EXPECT_EQ(refused(begin + "1,2,u,4,5\n"),
            ":6:6: found 5 values separated by commas, expected 3, one per attribute");
  EXPECT_EQ(refused(begin + "{0 1, 2 u}\n"),
            ":6:1: found a sparse row, expected 3 values separated by commas");
  EXPECT_EQ(refused(begin + "1,two,u\n"), ":6:3: found \"two\", expected a number");
  EXPECT_EQ(refused(begin + "1,1e400,u\n"),
            ":6:3: found \"1e400\", expected a number of at most 3.4e38");
  EXPECT_EQ(refused(begin + "1,2,'u\n"), ":6:5: found \"'u\", expected a closing '");
  EXPECT_EQ(refused(begin + "1,2,'u'v\n"),
            ":6:8: found \"v\", expected a comma after the closing quote");
  EXPECT_EQ(refused("@attribute s string\n@data\na\xFF\n"),
            ":3:2: found the byte 0xff, expected UTF-8 text: convert the file, such as with iconv");
  EXPECT_EQ(refused("@attribute id string\n@attribute a real\n@attribute c {u,v}\n@data\n"
                    "n,1,u\n'm\xFF',2,v\n"),
            ":6:3: found the byte 0xff, expected UTF-8 text: convert the file, such as with iconv");
  std::string classes = "{0";
  for (int i = 1; i < 40'000; ++i) classes += fmt::format(",{}", i);
  classes += "}\n";
  EXPECT_EQ(refused("@attribute a " + classes + "@attribute b " + classes + "@data\n1,1\n"),
            ":2:1: found more than 65,536 attributes and classes, expected at most that");
}

RC_GTEST_PROP(ArffWords, QuotedTextIsReadBack, ()) {
  const auto letters =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab ,%{}?'\"\\\n\t")));
  std::string quoted;
  for (const char c : letters) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? "\\n" : std::string(1, c);
  }
  const io::TempFolder folder;
  io::put(folder.path() / "x.arff", "@relation r\n@attribute s string\n@data\n'" + quoted + "'\n");
  const auto vocabulary = std::make_shared<Vocabulary>();
  const auto reader = open(Paths{folder.path() / "x.arff"}, {}, vocabulary);
  Sequence sequence;
  RC_ASSERT(reader->next(sequence));
  std::string read;
  for (const std::int32_t symbol : sequence.symbols) {
    read += vocabulary->symbols.words().at(static_cast<std::size_t>(symbol));
  }
  RC_ASSERT(read == letters);
}

}  // namespace
}  // namespace rwa::formats
