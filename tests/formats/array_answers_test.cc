// tests/formats/array_answers_test.cc: targets from a second array.
#include <limits>

#include <gtest/gtest.h>

#include "formats/npy_testing.h"
#include "io/gzip_testing.h"

namespace rwa::formats {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using NpyLabels = NpyFiles;

TEST_F(NpyLabels, LabelsLieBeside) {
  const std::string x = npy("(2, 3)", Floats(6));
  const std::string y = npy("|i1", "(2,)", "\x07\xff");
  const auto expect_labels = [&](std::string_view x_name, std::string_view y_name) {
    SCOPED_TRACE(y_name);
    put(x_name, x);
    put(y_name, y_name.ends_with(".gz") ? io::gzip(y) : y);
    const Content content = read({}, x_name);
    EXPECT_EQ(content.schema.target, Target::kClass);
    EXPECT_EQ(content.schema.targets, Words{"y"});
    EXPECT_EQ(content.words(0), Words{"7"});
    EXPECT_EQ(content.words(1), Words{"-1"});
    std::filesystem::remove(folder_.path() / y_name);
  };
  expect_labels("x.npy", "y.npy");
  expect_labels("x.npy", "y.npy.gz");
  expect_labels("X.npy", "y.npy");
  expect_labels("X.npy", "Y.npy");
  expect_labels("X_train.npy", "y_train.npy");
  expect_labels("max.x.npy", "max.y.npy");
  put("max.npy", x);
  put("may.npy", y);
  EXPECT_EQ(read({}, "max.npy").schema.target, Target::kNone);
}

TEST_F(NpyLabels, LabelsFromElsewhere) {
  put("x.npy", npy("(2, 3)", Floats(6)));
  put("classes", npy("<u2", "(2,)", std::string("\1\0\2\0", 4)));
  const std::string path = folder_.path() / "classes";
  EXPECT_EQ(read(Options{.label_from = path}).words(1), Words{"2"});
  put("y.npy", npy("<u2", "(2,)", std::string("\1\0\2\0", 4)));
  EXPECT_EQ(read(Options{.task = Target::kNone}).schema.target, Target::kNone);
}

TEST_F(NpyLabels, AnswersOfASequence) {
  put("x.npy", npy("(2, 3)", Floats(6)));
  put("y.npy", npy("(2,)", {0.5F, -2}));
  Content content = read();
  EXPECT_EQ(content.schema.target, Target::kNumbers);
  EXPECT_EQ(content.sequences[1].values, Floats{-2});
  content = read({.task = Target::kClass});  // numbers as class names
  EXPECT_EQ(content.words(0), Words{"0.5"});
  EXPECT_EQ(content.words(1), Words{"-2"});

  put("y.npy", npy("(2, 2)", {1, 2, 3, 4}));
  content = read({.targets = {"weight", "height"}});
  EXPECT_EQ(content.schema.target, Target::kNumbers);
  EXPECT_EQ(content.schema.targets, (Words{"weight", "height"}));
  EXPECT_EQ(content.sequences[1].values, (Floats{3, 4}));

  put("y.npy", npy("|b1", "(2, 4)", std::string("\0\1\0\1\0\0\0\0", 8)));
  content = read();
  EXPECT_EQ(content.schema.target, Target::kLabels);
  EXPECT_EQ(content.words(0), (Words{"1", "3"}));
  EXPECT_EQ(content.words(1), Words{});

  put("y.npy", npy("<i8", "(2, 1)", bytes_of_values<std::int64_t>({-5, 1LL << 62})));
  content = read();
  EXPECT_EQ(content.schema.target, Target::kClass);
  EXPECT_EQ(content.words(1), Words{"4611686018427387904"});
}

TEST_F(NpyLabels, AnswersOfEveryStep) {
  put("x.npy", npy("(2, 3)", Floats(6)));
  put("y.npy", npy("|u1", "(2, 3)", "\1\2\1\3\3\1"));
  Content content = read();
  EXPECT_EQ(content.schema.target, Target::kClassPerStep);
  EXPECT_EQ(content.words(0), (Words{"1", "2", "1"}));
  EXPECT_EQ(content.words(1), (Words{"3", "3", "1"}));
  put("y.npy", npy("(2, 3)", {1, 2, 3, 4, 5, 6}));
  content = read();
  EXPECT_EQ(content.schema.target, Target::kNumbersPerStep);
  EXPECT_EQ(content.sequences[1].values, (Floats{4, 5, 6}));
  EXPECT_EQ(read({.task = Target::kNumbers}).schema.targets, (Words{"y0", "y1", "y2"}));
  put("y.npy", npy("(2, 3, 2)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  content = read();
  EXPECT_EQ(content.schema.targets, (Words{"y0", "y1"}));
  EXPECT_EQ(content.sequences[0].values, (Floats{1, 2, 3, 4, 5, 6}));
}

TEST_F(NpyLabels, LabelsAsText) {
  put("x.npy", npy("(3, 1)", Floats(3)));
  put("y.npy", npy("<U3", "(3,)",
                   bytes_of_values<char32_t>({'c', 'a', 't', 0x4F60, 0, 0, 0xE9, 0x1F40B, 0})));
  const Content content = read();
  EXPECT_EQ(content.schema.target, Target::kClass);
  EXPECT_EQ(content.words(0), Words{"cat"});
  EXPECT_EQ(content.words(1), Words{"你"});
  EXPECT_EQ(content.words(2), Words{"é🐋"});
  expect_refusal_of_labels(npy("<U1", "(3,)", bytes_of_values<char32_t>({'a', 'b', 0x110000})),
                           "found the code point 0x110000 at [2], expected valid Unicode");
  expect_refusal_of_labels(npy("<U1", "(3,)", bytes_of_values<char32_t>({'a', 0xD800, 0})),
                           "found the code point 0xd800 at [1]");
  expect_refusal_of_labels(npy("<U1", "(3, 2)", std::string(24, 'a')), "has shape (3, 2) of text");
  expect_refusal(npy("<U1", "(3, 2)", std::string(24, 'a')),
                 "is an array of text, expected numbers");
}

TEST_F(NpyLabels, LabelsThatDoNotFit) {
  put("x.npy", npy("(2, 3)", Floats(6)));
  expect_refusal_of_labels(npy("|u1", "(3,)", "abc"), "has shape (3,), expected (N,) for classes");
  expect_refusal_of_labels(npy("|u1", "()", "a"), "has shape (), expected (N,) for classes");
  expect_refusal_of_labels(npy("|u1", "(2,)", "a"),
                           "has 1 byte after the header, expected 2: the file is truncated");
  expect_refusal_of_labels(npy("|u1", "(2,)", "abc"), "has more bytes after the header");
  expect_refusal_of_labels(npy("|u1", "(2, 2)", "\1\1\1\2"), "found 2 at [1, 1], expected 0 or 1");
  expect_refusal_of_labels(npy("(2,)", {1, kNan}), "found NaN at [1], expected a number");
  expect_refusal_of_labels(npy("(2,)", {1, kNan}), "found nan at [1], expected a label",
                           {.task = Target::kClass});
  expect_refusal_of_labels(npy("(2,)", {1, 2}), "has shape (2,), expected (N,) for classes",
                           {.task = Target::kClassPerStep});
  expect_refusal_of_labels(npy("(2, 2)", Floats(4)),
                           "has shape (2, 2) with 2 targets, expected 1: weight",
                           {.targets = {"weight"}});
  expect_refusal_of_labels(npy("<f4", "(2, 3, 65536)", "few"), "has 3 bytes after the header");
  expect_refusal_of_labels(npy("<f4", "(2, 3, 65537)", "few"), "has shape (2, 3, 65537), expected");
  expect_refusal_of_labels("no array", "begins with \"no arr\"");
  std::filesystem::remove(folder_.path() / "y.npy");
  io::expect_error<ConfigError>([&] { read({.task = Target::kClass}); },
                                {"found no targets, expected some for --task class"});
}

TEST_F(NpyLabels, AModelDoesWithoutAnswersThatAreMissing) {
  put("x.npy", npy("(2, 1)", Floats(2)));
  put("y.npy", npy("(2,)", {1, kNan}));
  const Options options{
      .as = Schema{.features = {"x"}, .target = Target::kNumbers, .targets = {"y"}}};
  const Content content = read(options);
  EXPECT_EQ(content.sequences[0].values, Floats{1});
  EXPECT_EQ(content.sequences[1].values, Floats{});
}

}  // namespace
}  // namespace rwa::formats
