// tests/formats/npy_test.cc: NumPy arrays as sequences, and malformed .npy files.
#include "formats/array.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/counted.h"
#include "formats/memory_testing.h"
#include "formats/npy_testing.h"

namespace rwa::formats {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Npy = NpyFiles;

TEST_F(Npy, TheBytesThatNumPyWrites) {
  // np.save("x.npy", np.array([[1, 2, 3], [4, 5, 6.5]], dtype="f4"))
  const std::string golden = std::string("\x93NUMPY\1\0v\0", 10) +
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                             std::string(58, ' ') + "\n" +
                             std::string("\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@\0\0\xd0@", 24);
  const Content content = read(golden);
  ASSERT_EQ(content.sequences.size(), 2U);
  EXPECT_EQ(content.sequences[0].x, (Floats{1, 2, 3}));
  EXPECT_EQ(content.sequences[1].x, (Floats{4, 5, 6.5F}));
  EXPECT_EQ(content.sequences[1].steps, 3);
  EXPECT_EQ(content.sequences[1].id, "2");
  EXPECT_EQ(content.sequences[1].line, 2);
  EXPECT_EQ(content.schema, (Schema{.format = Format::kNpy,
                                    .layout = Layout::kNtc,
                                    .features = {"x"},
                                    .target = Target::kNone}));
}

TEST_F(Npy, EveryTypeOfNumbers) {
  const Floats expected = {1, 2, 100};
  EXPECT_EQ(read(npy("<f4", "(1, 3)", bytes_of_values<float>({1, 2, 100}))).sequences[0].x,
            expected);
  EXPECT_EQ(read(npy("<f8", "(1, 3)", bytes_of_values<double>({1, 2, 100}))).sequences[0].x,
            expected);
  EXPECT_EQ(read(npy("|i1", "(1, 3)", "\x01\x02\x64")).sequences[0].x, expected);
  EXPECT_EQ(read(npy("|u1", "(1, 3)", "\x01\x02\x64")).sequences[0].x, expected);
  EXPECT_EQ(read(npy("|b1", "(1, 2)", std::string("\1\0", 2))).sequences[0].x, (Floats{1, 0}));
  EXPECT_EQ(read(npy("<i2", "(1, 1)", "\xfe\xff")).sequences[0].x, Floats{-2});
  EXPECT_EQ(read(npy("<u2", "(1, 1)", "\xfe\xff")).sequences[0].x, Floats{65534});
  EXPECT_EQ(read(npy("<i4", "(1, 1)", "\xfe\xff\xff\xff")).sequences[0].x, Floats{-2});
  EXPECT_EQ(read(npy("<u4", "(1, 1)", "\xfe\xff\xff\xff")).sequences[0].x, Floats{4294967296.0F});
  const std::string ones(8, '\xff');
  EXPECT_EQ(read(npy("<i8", "(1, 1)", ones)).sequences[0].x, Floats{-1});
  EXPECT_EQ(read(npy("<u8", "(1, 1)", ones)).sequences[0].x, Floats{18446744073709551616.0F});
}

// Of more bytes than are read at once, before there is room for the numbers.
TEST_F(Npy, LongSequences) {
  constexpr std::size_t kSteps = 300'000;
  std::vector<double> values(3 * kSteps);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const std::string shape = fmt::format("(3, {})", kSteps);
  const Content content = read(npy("<f8", shape, bytes_of_values(values)));
  ASSERT_EQ(content.sequences.size(), 3U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(content.sequences[i / kSteps].x[i % kSteps], values[i]);
  }
  values[5] = 1e300;
  expect_refusal(npy("<f8", shape, bytes_of_values(values)),
                 "found 1e+300 at [0, 5], expected a number of at most 3.4e38");
}

TEST_F(Npy, EveryVersionAndWayToWriteTheHeader) {
  const std::string values = bytes_of_values<float>({1, 2});
  for (const int version : {1, 2, 3}) {
    for (const std::string_view header :
         {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n",
          "{\"shape\":(1,2),\"descr\":\"<f4\",\"fortran_order\":False}",
          " { 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , 'descr' : '<f4' } \n"}) {
      EXPECT_EQ(read(npy_with_header(header, values, version)).sequences[0].x, (Floats{1, 2}));
    }
  }
}

TEST_F(Npy, LayoutsOfThreeDimensions) {
  const std::string array = npy("(2, 3, 2)", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto rows = [&](Layout layout) {
    std::vector<Floats> found;
    for (const Sequence& sequence : read(array, {.layout = layout}).sequences) {
      EXPECT_EQ(sequence.steps * (layout == Layout::kNct ? 3 : 2),
                static_cast<int>(sequence.x.size()));
      found.push_back(sequence.x);
    }
    return found;
  };
  using Rows = std::vector<Floats>;
  EXPECT_EQ(rows(Layout::kNtc), (Rows{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}));
  EXPECT_EQ(rows(Layout::kNct), (Rows{{0, 2, 4, 1, 3, 5}, {6, 8, 10, 7, 9, 11}}));
  EXPECT_EQ(rows(Layout::kTnc), (Rows{{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5, 10, 11}}));
  EXPECT_EQ(read(array, {.layout = Layout::kNct}).schema.features, (Words{"x0", "x1", "x2"}));
  EXPECT_EQ(read(npy("(2, 3)", {0, 1, 2, 3, 4, 5}), {.layout = Layout::kTnc}).sequences[0].x,
            (Floats{0, 3}));
}

TEST_F(Npy, AThirdDimensionNeedsALayout) {
  const std::string array = npy("(5, 4, 3)", Floats(60));
  expect_refusal(
      array,
      "has shape (5, 4, 3) in unknown order, use --layout ntc (5 sequences, 4 steps, 3 "
      "features), nct (5 sequences, 3 steps, 4 features) or tnc (4 sequences, 5 steps, 3 "
      "features)");
  expect_refusal<ConfigError>(array, "found --layout wide for an array, expected ntc, nct or tnc",
                              {.layout = Layout::kWide});
}

TEST_F(Npy, FeaturesThatAreAskedFor) {
  const std::string array = npy("(1, 2, 2)", Floats(4));
  EXPECT_EQ(read(array, {.layout = Layout::kNtc, .features = {"a", "b"}}).schema.features,
            (Words{"a", "b"}));
  expect_refusal<ConfigError>(array,
                              "has 2 features, expected the 3 that --features names: a, b, c",
                              {.layout = Layout::kNtc, .features = {"a", "b", "c"}});
}

TEST_F(Npy, AModelsSchema) {
  Options options{.as = Schema{.format = Format::kTs,
                               .layout = Layout::kNct,
                               .features = {"a", "b"},
                               .target = Target::kClass,
                               .targets = {"kind"}}};
  const Content content = read(npy("(1, 2, 3)", {1, 2, 3, 4, 5, 6}), options);
  EXPECT_EQ(content.sequences[0].x, (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(content.schema.features, (Words{"a", "b"}));
  EXPECT_EQ(content.schema.layout, Layout::kNct);
  EXPECT_EQ(content.schema.target, Target::kClass);
  EXPECT_TRUE(content.sequences[0].labels.empty());
  expect_refusal(npy("(1, 3, 2)", Floats(6)),
                 "found 3 features, expected the 2 that the model takes", options);
  options.as->symbols = true;
  expect_refusal(npy("(1, 2, 3)", Floats(6)), "found sequences of numbers, expected symbols",
                 options);
}

TEST_F(Npy, MissingNumbersAreKeptAndInfiniteOnesRefused) {
  const Content content = read(npy("(1, 3)", {1, kNan, 3}));
  EXPECT_TRUE(std::isnan(content.sequences[0].x[1]));
  Floats values(2 * 3 * 2);
  values[9] = -std::numeric_limits<float>::infinity();
  expect_refusal(npy("(2, 3, 2)", values), "found -inf at [1, 1, 1], expected a number of at most",
                 {.layout = Layout::kNtc});
  expect_refusal(npy("<f8", "(2, 1)", bytes_of_values<double>({1, 1e300})),
                 "found 1e+300 at [1, 0], expected a number of at most");
}

TEST_F(Npy, TypesThatAreNotRead) {
  for (const std::string_view dtype :
       {">f4", "|O", "<f2", "<c8", "<M8[ns]", "|S3", "|V4", "<U0", "<U16385", "<U", "<U-1", "f4",
        "<f44", "", "<", "<i3", "<f16"}) {
    SCOPED_TRACE(dtype);
    expect_refusal(npy(dtype, "(1, 1)", std::string(8, 'x')),
                   fmt::format("has dtype \"{}\", expected f4, f8, i1 to i8, u1 to u8, b1 or U1 to "
                               "U16384, little-endian",
                               dtype));
  }
  expect_refusal(npy_with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
                                 "12345678"),
                 "has dtype \"[('a', '<f4')]\", expected");
  expect_refusal(
      npy_with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", "12345678"),
      "is in Fortran order, expected C order");
}

TEST_F(Npy, ShapesThatAreNotRead) {
  for (const std::string_view shape : {"()", "(4,)", "(1, 1, 2, 2)"}) {
    SCOPED_TRACE(shape);
    expect_refusal(npy("<f4", shape, std::string(16, 'x')),
                   fmt::format("has shape {}, expected 2 or 3 dimensions", shape));
  }
  for (const std::string_view shape :
       {"(2, -1)", "(0, 3)", "(3, 0)", "(4194305, 4194305, 211106198978564)",
        "(9223372036854775807, 1)", "(4294967296, 4294967296)", "(-1, -1)"}) {
    SCOPED_TRACE(shape);
    expect_refusal(npy("<f4", shape, std::string(16, 'x')),
                   fmt::format("has shape {}, expected dimensions of at least 1 and less than 2^63 "
                               "bytes in total",
                               shape));
  }
  expect_refusal(
      npy("|u1", "(1, 1000000000)", ""),
      "has shape (1, 1000000000), 1,000,000,000 numbers per sequence and 1 feature, expected "
      "at most 268,435,456 and 65,536; check --layout");
  expect_refusal(
      npy("|u1", "(1, 1, 100000)", ""),
      "has shape (1, 1, 100000), 100,000 numbers per sequence and 100,000 features, expected",
      {.layout = Layout::kNtc});
}

TEST_F(Npy, HeadersThatAreNone) {
  for (const std::string_view header :
       {"", "{", "{}", "[]", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), 'more': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 18446744073709551616)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1, 1)}", "{'descr", "{'descr': [",
        "{descr: '<f4', 'fortran_order': False, 'shape': (1, 1)}", "{'descr' '<f4'}"}) {
    SCOPED_TRACE(header);
    expect_refusal(npy_with_header(header, "1234"), "has the malformed header \"");
  }
  expect_refusal(npy_with_header(std::string("\0\x1b[2J", 5), "1234"),
                 "has the malformed header \"\\x00\\x1b[2J\"");
}

TEST_F(Npy, FilesThatAreCutShortOrNone) {
  const std::string whole = npy("(2, 2)", {1, 2, 3, 4});
  const std::size_t header = whole.size() - 16;
  for (std::size_t length = 0; length < header; ++length) {
    expect_refusal(whole.substr(0, length), "ends inside the header, expected ");
  }
  for (std::size_t length = header; length < whole.size(); ++length) {
    expect_refusal(whole.substr(0, length), fmt::format("has {} after the header, expected 16",
                                                        counted(length - header, "byte")));
  }
  expect_refusal(whole + "x", "has more bytes after the header than the 16 expected");
  expect_refusal("PK\3\4 and so on", "begins with \"PK\\x03\\x04 a\", expected \"\\x93NUMPY\"");
  expect_refusal(npy_with_header("{}", "", 4), "has .npy version 4, expected 1, 2 or 3");
  expect_refusal(npy_with_header(std::string(65537, ' '), "", 2),
                 "has a header of 65537 bytes, expected at most 65536");
}

// 12 bytes that claim a header of 4 GB; then, in each layout, a file of 200 bytes that claims an
// array of 1 GB: what is reserved is a block.
TEST_F(Npy, MemoryIsTakenForBytesThatAreThere) {
  largest = 0;
  expect_refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12),
                 "has a header of 4294967295 bytes, expected at most 65536");
  for (const Layout layout : {Layout::kNtc, Layout::kNct, Layout::kTnc}) {
    expect_refusal(npy("<f4", "(1, 65536, 4096)", "few"), "has 3 bytes after the header",
                   {.layout = layout});
    expect_refusal(npy("<f4", "(65536, 65536, 4096)", "few"),
                   layout == Layout::kTnc ? "has shape (65536, 65536, 4096), larger than the file"
                                          : "has 3 bytes after the header",
                   {.layout = layout});
  }
  put("y.npy", npy("<f4", "(1, 8000, 65536)", "few"));
  io::expect_error<InputError>([&] { read(npy("|u1", "(1, 8000)", std::string(8000, 'x'))); },
                               {"has shape (1, 8000, 65536), 524288000 numbers per sequence"});
  put("y.npy", npy("<U16384", "(1000000000, 1)", "few"));
  expect_refusal(npy("|u1", "(1000000000, 1)", "few"), "has 3 bytes after the header");
  EXPECT_LT(largest, 70'000'000U);
}

RC_GTEST_FIXTURE_PROP(Npy, WhatIsWrittenIsRead, ()) {
  const auto n = *rc::gen::inRange(1, 6), t = *rc::gen::inRange(1, 6), c = *rc::gen::inRange(1, 6);
  const auto layout = *rc::gen::element(Layout::kNtc, Layout::kNct, Layout::kTnc);
  const auto values = *rc::gen::container<std::vector<float>>(
      static_cast<std::size_t>(n * t * c),
      rc::gen::map(rc::gen::arbitrary<int>(), [](int i) { return static_cast<float>(i) / 1024; }));
  const auto shape = layout == Layout::kNtc   ? fmt::format("({}, {}, {})", n, t, c)
                     : layout == Layout::kNct ? fmt::format("({}, {}, {})", n, c, t)
                                              : fmt::format("({}, {}, {})", t, n, c);
  const Content content = read(npy(shape, values), {.layout = layout});
  RC_ASSERT(content.sequences.size() == static_cast<std::size_t>(n));
  RC_ASSERT(content.schema.features.size() == static_cast<std::size_t>(c));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < t; ++j) {
      for (int k = 0; k < c; ++k) {
        const int place = layout == Layout::kNtc   ? (i * t + j) * c + k
                          : layout == Layout::kNct ? (i * c + k) * t + j
                                                   : (j * n + i) * c + k;
        RC_ASSERT(
            content.sequences[static_cast<std::size_t>(i)].x[static_cast<std::size_t>(j * c + k)] ==
            values[static_cast<std::size_t>(place)]);
      }
    }
  }
}

// Larger than one read, with sequences across the boundaries, and one sequence larger than a read.
TEST_F(Npy, MayBeLong) {
  constexpr std::size_t kNumbers = 3'000'000;
  Floats values(kNumbers);
  for (std::size_t i = 0; i < kNumbers; ++i) values[i] = static_cast<float>(i);
  for (const std::size_t steps : {std::size_t{1000}, kNumbers}) {
    const std::string array = npy(fmt::format("({}, {})", kNumbers / steps, steps), values);
    Floats found;
    for (const Sequence& sequence : read(array).sequences) {
      found.insert(found.end(), sequence.x.begin(), sequence.x.end());
    }
    EXPECT_EQ(found, values);
  }
}

}  // namespace
}  // namespace rwa::formats
