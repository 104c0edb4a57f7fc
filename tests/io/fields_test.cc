#include "io/fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "io/toml.h"
#include "rwa/errors.h"

namespace rwa::io {

// An enumeration with its from_name().
enum class Colour { kRed, kBlue };
void from_name(std::string_view name, Colour& value) {
  if (name != "red" && name != "blue") {
    throw ConfigError("unknown colour '" + std::string(name) + "'");
  }
  value = name == "red" ? Colour::kRed : Colour::kBlue;
}

namespace {

Fields json(std::string_view text, bool required = false) {
  return {parse_json(text, "x"), {.where = "x", .required = required}};
}
Fields toml(std::string_view text) {
  return {parse_toml(text, "x.toml"), {.where = "x.toml", .noun = "key"}};
}

TEST(Fields, AreReadByTheirTypes) {
  Fields fields = json(
      R"({"a": true, "b": 3, "c": 18446744073709551615, "d": 0.5, "e": "t", "f": ["x", "y"],
          "g": [1, 2.5], "h": "blue", "i": 7})");
  bool a = false;
  int b = 0;
  std::uint64_t c = 0;
  double d = 0, i = 0;
  std::string e;
  std::vector<std::string> f;
  std::vector<double> g;
  Colour h = Colour::kRed;
  fields("a", a);
  fields("b", b);
  fields("c", c);
  fields("d", d);
  fields("e", e);
  fields("f", f);
  fields("g", g);
  fields("h", h);
  fields("i", i);  // a whole number is a number
  fields.finish();
  EXPECT_TRUE(a);
  EXPECT_EQ(b, 3);
  EXPECT_EQ(c, 18446744073709551615U);
  EXPECT_EQ(d, 0.5);
  EXPECT_EQ(e, "t");
  EXPECT_EQ(f, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(g, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(h, Colour::kBlue);
  EXPECT_EQ(i, 7);
}

TEST(Fields, WhatIsMissingOrNullStays) {
  Fields fields = json(R"({"a": null})");
  int a = 1, b = 2;
  std::optional<int> c = 3;
  fields("a", a);
  fields("b", b);
  fields("c", c);
  fields.finish();
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
  EXPECT_EQ(c, 3);
}

TEST(Fields, WhatIsRequiredMustBeThere) {
  int a = 0;
  std::optional<int> b;
  expect_error<ConfigError>([&] { json("{}", true)("a", a); }, {"x: the field 'a' is missing"});
  expect_error<ConfigError>([&] { json(R"({"a": null})", true)("a", a); },
                            {"x: a is null, expected a whole number"});
  expect_error<ConfigError>([&] { json("{}", true)("b", b); }, {"the field 'b' is missing"});
  json(R"({"b": null})", true)("b", b);
  EXPECT_FALSE(b);
}

TEST(Fields, WrongValuesAreNamedWithTheirPlace) {
  const auto refuse = [](const char* text, auto value, const char* message) {
    expect_error<ConfigError>([&] { toml(text)("a", value); }, {message});
  };
  refuse("a = 'x'", 0, "x.toml:1:5: a is \"x\", expected a whole number from -2147483648 to 21474");
  refuse("a = 3000000000", 0, "a is 3000000000, expected a whole number");
  refuse("a = 1.5", 0, "a is 1.5, expected a whole number");
  refuse("a = 'x'", 0.0, "a is \"x\", expected a finite number");
  refuse("a = nan", 0.0, "a is nan, expected a finite number");
  refuse("a = 1", false, "a is 1, expected true or false");
  refuse("a = 1", std::string(), "a is 1, expected a string");
  refuse("a = [1]", std::vector<std::string>(), "x.toml:1:6: a is 1, expected an array of strings");
  refuse("a = 'x'", std::vector<double>(), "a is \"x\", expected an array of numbers");
  refuse("a = 'green'", Colour::kRed, "x.toml:1:5: unknown colour 'green'");
  refuse("a = 2017-03-06", std::string(), "a is a date or time, expected a string");
  expect_error<ConfigError>(
      [] {
        int a = 0;
        toml("a = 1")("a", a, 2);
      },
      {"a is 1, expected a whole number from 2"});
}

TEST(Fields, NumbersAreInTheirRange) {
  const auto refuse = [](const char* text, auto range, const char* message) {
    auto value = range.least;
    expect_error<ConfigError>([&] { toml(text)("a", value, range); }, {message});
    EXPECT_EQ(value, range.least);
  };
  const Range<int> whole{.least = 1, .most = 5};
  refuse("a = 0", whole, "a is 0, expected a whole number from 1 to 5");
  refuse("a = 6", whole, "a is 6, expected a whole number from 1 to 5");
  refuse("a = -9223372036854775808", whole, "expected a whole number from 1 to 5");
  refuse("a = 1.0", whole, "a is 1.0, expected a whole number from 1 to 5");
  const Range<double> closed{.least = 0, .most = 0.5};
  refuse("a = -0.1", closed, "a is -0.1, expected a number from 0 to 0.5");
  refuse("a = nan", closed, "a is nan, expected a number from 0 to 0.5");
  refuse("a = inf", closed, "a is inf, expected a number from 0 to 0.5");
  const Range<double> open{.least = 0, .most = 1, .without_least = true, .without_most = true};
  refuse("a = 0", open, "a is 0, expected a number of more than 0 and less than 1");
  refuse("a = 1.0", open, "a is 1.0, expected a number of more than 0 and less than 1");
  double value = 0;
  toml("a = 0.5")("a", value, closed);
  EXPECT_EQ(value, 0.5);
}

TEST(Fields, AnOptionIsNamedAsItWasTyped) {
  Fields fields({{"learning_rate", {std::string("fast"), "--learning-rate"}}}, {});
  double rate = 0;
  expect_error<ConfigError>([&] { fields("learning_rate", rate); },
                            {"--learning-rate is \"fast\", expected a finite number"});
}

TEST(Fields, OthersAreRefusedWithTheOneThatWasMeant) {
  Fields fields = toml("unit = 3");
  int units = 0;
  fields("units", units);
  expect_error<ConfigError>([&] { fields.finish(); },
                            {"x.toml:1:1: unknown key 'unit', did you mean units?"});
  expect_error<ConfigError>([] { json(R"({"a": 1, "a": 2})"); },
                            {"x: the field \"a\" appears twice"});
}

TEST(Fields, TablesAreFieldsOfTheirOwn) {
  Fields fields = toml("[t]\na = 1\nb = 2\n[[l]]\nc = 3\n[[l]]\nc = 4\n");
  Fields table = fields.table("t");
  EXPECT_EQ(table.need<int>("a"), 1);
  expect_error<ConfigError>([&] { table.finish(); }, {"x.toml:3:1: unknown key 'b' in [t]"});
  std::vector<int> found;
  for (Fields& each : fields.tables("l")) found.push_back(each.need<int>("c"));
  EXPECT_EQ(found, (std::vector<int>{3, 4}));
  EXPECT_TRUE(fields.table("none").rest().empty());
  expect_error<ConfigError>([] { toml("t = 1").table("t"); },
                            {"x.toml:1:5: t is 1, expected a table, [t]"});
}

// Each part is a table in a table, which is built and removed by recursion.
TEST(Toml, KeysHaveFewParts) {
  const std::string nine = "a.b.c.d.e.f.g.h.i";
  for (const std::string& text :
       {std::string("a.b.c.d.e.f.g.h = 1\n[i.j.k.l.m]\nn.o.p.q = 2"),
        "a = \"" + nine + "\" # " + nine, "a = '''it's\n" + nine + "'''",
        "a = \"\"\"\\\"\"\"" + nine + "\"\"\"\"", std::string("a = [1.1, 2.2, 3.3, 4.4, 5.5]")}) {
    EXPECT_NO_THROW(parse_toml(text, "x")) << text;
  }
  for (const std::string& text : {"\n " + nine + " = 1", "# '\n[" + nine + "]",
                                  std::string("x = ''\na.'='.\"\\\"=\".d.e.f.g.h.i = 1"),
                                  "x = '''\n'''\ny = {" + nine + " = 1}"}) {
    expect_error<ConfigError>([&] { parse_toml(text, "x"); },
                              {"x:", ": found a key of more than 8 parts"});
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a.";
  expect_error<ConfigError>([&] { parse_toml("\n" + deep + "a = 1", "x"); }, {"x:2:16: found"});
}

TEST(Fields, TheCallerSaysWhichError) {
  const auto with = [](Refuse refuse) {
    Fields fields({}, {.where = "w", .refuse = refuse, .required = true});
    fields.require("a");
  };
  expect_error<ModelFileError>([&] { with(refuse_model_file); }, {"w: the field 'a' is missing"});
  expect_error<InputError>([&] { with(refuse_input); }, {"w: the field 'a' is missing"});
  expect_error<InputError>([] { parse_json("[", "w", refuse_input); },
                           {"w: found \"[\", expected a JSON object"});
}

}  // namespace
}  // namespace rwa::io
