// tests/io/safetensors_test.cc: what is written is read back bit for bit, and damaged files raise
// the right error.
#include "io/safetensors.h"

#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "io_testing.h"
#include "rwa/errors.h"

namespace rwa::io {
namespace {

constexpr std::string_view kOrigin = "model.safetensors";

// Written by hand, not by the writer: "a" of shape [2] is 1, -2; "b" of shape [] is 0.5.
std::string golden() {
  const std::string header = R"({"__metadata__":{"format":"rwa"},)"
                             R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}     )";
  using namespace std::string_literals;
  return "\x90\0\0\0\0\0\0\0"s + header + "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"s;
}

TensorFile golden_content() {
  return {{{"format", "rwa"}}, {{"a", {2}, {1.0F, -2.0F}}, {"b", {}, {0.5F}}}};
}

// A file with any header, valid or not, and any data.
std::string file_of(std::string_view header, std::string_view data, std::uint64_t length) {
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text.append(header).append(data);
}

std::string file_of(std::string_view header, std::size_t data_bytes = 0) {
  return file_of(header, std::string(data_bytes, '\0'), header.size());
}

std::string description(std::string_view name, std::string_view shape, std::string_view offsets,
                        std::string_view dtype = R"("F32")") {
  return fmt::format(R"("{}":{{"dtype":{},"shape":{},"data_offsets":{}}})", name, dtype, shape,
                     offsets);
}

// A file with one tensor "w" with these fields.
std::string tensor_of(std::string_view shape, std::string_view offsets, std::size_t data_bytes,
                      std::string_view dtype = R"("F32")") {
  return file_of(fmt::format("{{{}}}", description("w", shape, offsets, dtype)), data_bytes);
}

TensorFile parse(std::string_view text) { return parse_safetensors(as_bytes(text), kOrigin); }

void expect_refusal(std::string_view text, std::initializer_list<std::string_view> parts) {
  expect_error<ModelFileError>([&] { parse(text); }, {kOrigin, "expected"});
  expect_error<ModelFileError>([&] { parse(text); }, parts);
}

// Compares values by their bits: -0 differs from 0.
void expect_equal(const TensorFile& x, const TensorFile& y) {
  EXPECT_EQ(x.metadata, y.metadata);
  ASSERT_EQ(x.tensors.size(), y.tensors.size());
  for (std::size_t i = 0; i < x.tensors.size(); ++i) {
    EXPECT_EQ(x.tensors[i].name, y.tensors[i].name);
    EXPECT_EQ(x.tensors[i].shape, y.tensors[i].shape);
    EXPECT_EQ(as_text(std::as_bytes(std::span(x.tensors[i].values))),
              as_text(std::as_bytes(std::span(y.tensors[i].values))));
  }
}

TEST(Safetensors, ReadsTheGoldenFile) { expect_equal(parse(golden()), golden_content()); }

TEST(Safetensors, WritesTheGoldenFile) {
  EXPECT_EQ(as_text(format_safetensors(golden_content())), golden());
}

TEST(Safetensors, EveryFiniteValueAndNameComesBack) {
  using Limits = std::numeric_limits<float>;
  const TensorFile content{
      {{"", ""}, {"key \"\\\n", std::string("\0\x7f", 2)}, {"größe", "\U0001F40B"}},
      {{"z", {1, 2, 1, 2}, {-0.0F, Limits::denorm_min(), Limits::max(), Limits::lowest()}},
       {"a/\"b\"\n", {1, 1, 1, 1, 1, 1, 1, 1}, {0.1F}},
       {"", {3}, {1.0F, 2.0F, 3.0F}}}};
  const std::vector<std::byte> bytes = format_safetensors(content);
  expect_equal(parse_safetensors(bytes, kOrigin), content);
  EXPECT_EQ(format_safetensors(content), bytes);
  EXPECT_EQ((bytes.size() - 8 * sizeof(float)) % 8, 0) << "the data is not aligned";
}

TEST(Safetensors, AFileWithoutTensorsComesBack) {
  expect_equal(parse_safetensors(format_safetensors({}), kOrigin), {});
  expect_equal(parse(file_of("{}")), {});
}

TEST(Safetensors, TensorsComeInTheOrderOfTheirBytes) {
  const std::string_view header = R"({"x":{"shape":[1],"data_offsets":[4,8],"dtype":"F32"},)"
                                  R"("y":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}})";
  const std::string_view one_and_two("\0\0\x80\x3f\0\0\0\x40", 8);
  const TensorFile file = parse(file_of(header, one_and_two, header.size()));
  ASSERT_EQ(file.tensors.size(), 2);
  EXPECT_EQ(file.tensors[0].name, "y");
  EXPECT_EQ(file.tensors[0].values, std::vector{1.0F});
  EXPECT_EQ(file.tensors[1].name, "x");
  EXPECT_EQ(file.tensors[1].values, std::vector{2.0F});
}

TEST(Safetensors, ReadsWhatItWroteToAFile) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "model";
  write_safetensors(file, golden_content());
  EXPECT_EQ(get(file), golden());
  expect_equal(read_safetensors(file), golden_content());
  EXPECT_EQ(folder.count(), 1);
}

TEST(SafetensorsFile, TellsTheSystemsRefusalFromWrongContent) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "model";
  const auto read = [&] { read_safetensors(file); };
  expect_error<ResourceError>(read, {file.string(), "open", "No such file or directory"});
  put(file, "{}");
  expect_error<ModelFileError>(read, {file.string(), "2 bytes", "expected at least the 8"});
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_error<ResourceError>(read, {file.string(), "found a pipe", "expected a regular file"});
  expect_error<ResourceError>([&] { read_safetensors(folder.path()); },
                              {folder.path().string(), "Is a directory"});
}

TEST(SafetensorsDamage, Length) {
  expect_refusal("", {"has 0 bytes", "expected at least the 8"});
  expect_refusal(std::string(7, '\0'), {"has 7 bytes", "expected at least the 8"});
  expect_refusal(file_of("{}", "", 3), {"length is 3 bytes", "at most the 2 that follow"});
  expect_refusal(file_of("{}", "", ~std::uint64_t{0}),
                 {"length is 18446744073709551615 bytes", "expected at most 1048576"});
  expect_refusal(file_of("{}", "", std::uint64_t{1} << 63),
                 {"length is 9223372036854775808 bytes", "expected at most 1048576"});
  const std::string padding(kMaxHeaderBytes - 2, ' ');
  EXPECT_TRUE(parse(file_of("{}" + padding)).tensors.empty());
  expect_refusal(file_of("{}" + padding + " "),
                 {"length is 1048577 bytes", "expected at most 1048576"});
}

TEST(SafetensorsDamage, HeaderIsNotAnObject) {
  expect_refusal(file_of(""), {"header is empty", "expected a JSON object"});
  expect_refusal(file_of(" {}"), {"starts with byte 0x20", "expected '{' (0x7b)"});
  expect_refusal(file_of("[]"), {"starts with byte 0x5b", "expected '{' (0x7b)"});
  for (const std::string_view header :
       {"{", "{} {}", "{},", "{\"a\"}", "{\"a\":}", "{'a':1}", "{\"a\":1,}", "{\"\xff\":1}",
        "{\"\\ud800\":1}", "{\"\\udc00\":1}", "{\"a\n\":1}", "{}//"}) {
    SCOPED_TRACE(header);
    expect_refusal(file_of(header), {"not valid JSON (", "expected a JSON object"});
  }
  expect_refusal(file_of(std::string("{}\0\0", 4)), {"not valid JSON ("});
}

TEST(SafetensorsDamage, DeepNesting) {
  for (const std::size_t depth : {10, 500, 1023, 1024, 1025, 500'000}) {
    SCOPED_TRACE(depth);
    const std::string nested = std::string(depth, '[') + std::string(depth, ']');
    expect_refusal(file_of(R"({"a":)" + nested + "}"), {});
    expect_refusal(file_of(R"({"__metadata__":)" + nested + "}"), {});
    expect_refusal(file_of(R"({"a":)" + nested.substr(0, depth)), {"not valid JSON"});
  }
  std::string objects;
  for (int i = 0; i < 2000; ++i) objects += R"({"a":)";
  expect_refusal(file_of(objects + "1" + std::string(2000, '}')), {"too deep"});
}

TEST(SafetensorsDamage, DuplicateKeys) {
  const std::string tensor = description("w", "[1]", "[0,4]");
  expect_refusal(file_of(fmt::format("{{{},{}}}", tensor, tensor), 4),
                 {"the header has the key \"w\" twice", "expected it once"});
  // The same name, escaped once.
  expect_refusal(
      file_of(fmt::format("{{{},{}}}", description("\\u0077", "[1]", "[0,4]"), tensor), 4),
      {"the header has the key \"w\" twice"});
  expect_refusal(file_of(R"({"__metadata__":{},"__metadata__":{}})"),
                 {"the header has the key \"__metadata__\" twice"});
  expect_refusal(file_of(R"({"__metadata__":{"k":"1","k":"1"}})"),
                 {"__metadata__ has the key \"k\" twice"});
  expect_refusal(
      file_of(R"({"w":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})", 4),
      {"tensor \"w\" has the key \"shape\" twice"});
}

TEST(SafetensorsDamage, Metadata) {
  expect_refusal(file_of(R"({"__metadata__":[]})"), {"__metadata__ is []", "expected an object"});
  expect_refusal(file_of(R"({"__metadata__":null})"), {"__metadata__ is null"});
  expect_refusal(file_of(R"({"__metadata__":{"k":1}})"),
                 {"__metadata__ has 1 for the key \"k\"", "expected a string"});
}

TEST(SafetensorsDamage, Fields) {
  expect_refusal(file_of(R"({"w":7})"), {"tensor \"w\" is described by 7", "expected an object"});
  expect_refusal(file_of(R"({"w":{}})"), {"tensor \"w\" has no ", "expected one"});
  expect_refusal(file_of(R"({"w":{"shape":[1],"data_offsets":[0,4]}})", 4), {"has no dtype"});
  expect_refusal(file_of(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4), {"has no shape"});
  expect_refusal(file_of(R"({"w":{"dtype":"F32","shape":[1]}})", 4), {"has no data_offsets"});
  expect_refusal(
      file_of(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"scale":1}})", 4),
      {"tensor \"w\" has a field \"scale\"", "expected only dtype, shape and data_offsets"});
}

TEST(SafetensorsDamage, UnknownDtype) {
  for (const std::string_view dtype : {R"("F16")", R"("BF16")", R"("f32")", R"("")", "32"}) {
    expect_refusal(tensor_of("[1]", "[0,4]", 4, dtype),
                   {fmt::format("tensor \"w\" has dtype {}", dtype), "expected \"F32\""});
  }
}

TEST(SafetensorsDamage, Dimensions) {
  for (const std::string_view dim :
       {"-1", "-9223372036854775808", "2.0", "1e0", "\"2\"", "null", "[1]", "true",
        "9223372036854775808", "18446744073709551615"}) {
    SCOPED_TRACE(dim);
    expect_refusal(tensor_of(fmt::format("[{}]", dim), "[0,8]", 8),
                   {"tensor \"w\" has a dimension ", "expected an integer from 1 to 2^63-1"});
  }
  expect_refusal(tensor_of("[-3]", "[0,8]", 8), {"has a dimension -3"});
  expect_refusal(tensor_of("[2.5]", "[0,8]", 8), {"has a dimension 2.5"});
  expect_refusal(tensor_of("[18446744073709551616]", "[0,8]", 8), {"not valid JSON"});
  expect_refusal(tensor_of("2", "[0,8]", 8), {"tensor \"w\" has shape 2", "expected an array"});
  expect_refusal(tensor_of("[1,1,1,1,1,1,1,1,1]", "[0,4]", 4),
                 {"has shape [1,1,1,1,1,1,1,1,1]", "expected at most 8 dimensions"});
}

TEST(SafetensorsDamage, CountsBeyondTheFile) {
  for (const std::string_view shape :
       {"[2147483648]", "[4294967296]", "[9223372036854775807]", "[2147483648, 2]",
        "[4294967296, 4294967296]", "[2147483648, 2147483648, 2]", "[4611686018427387905]"}) {
    SCOPED_TRACE(shape);
    expect_refusal(
        tensor_of(shape, "[0,4]", 4),
        {"tensor \"w\" has 4 bytes of data", "expected 4 for each value of its shape ", shape});
    expect_refusal(tensor_of(shape, "[0,0]", 0), {"tensor \"w\" has 0 bytes of data"});
  }
}

TEST(SafetensorsDamage, AShapeWhoseProductWrapsAround) {
  const std::uint64_t product = 4194305ULL * 4194305ULL * 211106198978564ULL;
  ASSERT_EQ(product, 4) << "modulo 2^64";
  const std::string_view shape = "[4194305, 4194305, 211106198978564]";
  expect_refusal(tensor_of(shape, "[0,16]", 16), {"tensor \"w\" has 16 bytes of data", shape});
  // The number of bytes, rather than of values, is 4 modulo 2^64.
  expect_refusal(tensor_of("[4611686018427387905]", "[0,4]", 4), {"[4611686018427387905]"});
}

TEST(SafetensorsDamage, Offsets) {
  for (const std::string_view offsets :
       {"8", "[]", "[0]", "[0,4,8]", "[0,-8]", "[-8,0]", "[0,8.0]", "[\"0\",8]", "[null,8]"}) {
    SCOPED_TRACE(offsets);
    expect_refusal(tensor_of("[2]", offsets, 8),
                   {fmt::format("tensor \"w\" has data_offsets {}", offsets),
                    "expected two non-negative integers"});
  }
  expect_refusal(tensor_of("[2]", "[8,0]", 8),
                 {"data_offsets [8,0]", "expected the first to be at most the second"});
  expect_refusal(tensor_of("[2]", "[0,8]", 7),
                 {"data_offsets [0,8]", "expected them within the 7 bytes"});
  for (const std::string_view end :
       {"2147483648", "4294967296", "9223372036854775808", "18446744073709551615"}) {
    SCOPED_TRACE(end);
    const std::string offsets = fmt::format("[0,{}]", end);
    expect_refusal(tensor_of("[2]", offsets, 8),
                   {fmt::format("data_offsets {}", offsets), "within the 8 bytes"});
  }
}

TEST(SafetensorsDamage, OffsetsThatDisagreeWithTheShape) {
  expect_refusal(
      tensor_of("[2,3]", "[0,20]", 20),
      {"tensor \"w\" has 20 bytes of data", "expected 4 for each value of its shape [2, 3]"});
  expect_refusal(tensor_of("[2,3]", "[0,28]", 28), {"has 28 bytes of data", "[2, 3]"});
  expect_refusal(tensor_of("[2]", "[0,9]", 9), {"has 9 bytes of data", "[2]"});
  expect_refusal(tensor_of("[]", "[0,8]", 8), {"has 8 bytes of data", "shape []"});
}

TEST(SafetensorsDamage, ZeroSizeTensors) {
  expect_refusal(tensor_of("[0]", "[0,0]", 0),
                 {"tensor \"w\" has shape [0], a zero-size tensor", "at least 1"});
  expect_refusal(tensor_of("[9223372036854775807,0]", "[0,0]", 0), {"a zero-size tensor"});
  expect_refusal(file_of(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
                         R"("b":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})"),
                 {"tensor \"a\" has shape [0], a zero-size tensor"});
}

// Tensors "a" and "b" of one value each.
std::string pair_at(std::string_view a, std::string_view b, std::size_t data_bytes) {
  return file_of(fmt::format("{{{},{}}}", description("a", "[1]", a), description("b", "[1]", b)),
                 data_bytes);
}

TEST(SafetensorsDamage, HolesOverlapsAndTrailingBytes) {
  EXPECT_EQ(parse(pair_at("[0,4]", "[4,8]", 8)).tensors.size(), 2);
  expect_refusal(pair_at("[0,4]", "[8,12]", 12),
                 {"tensor \"b\" begins at byte 8 of the data, after a gap", "expected 4"});
  expect_refusal(pair_at("[4,8]", "[8,12]", 12),
                 {"tensor \"a\" begins at byte 4 of the data, after a gap", "expected 0"});
  expect_refusal(pair_at("[0,4]", "[2,6]", 6),
                 {"tensor \"b\" begins at byte 2 of the data, overlapping", "expected 4"});
  expect_refusal(pair_at("[0,4]", "[0,4]", 4),
                 {"begins at byte 0 of the data, overlapping", "expected 4"});
  expect_refusal(pair_at("[0,4]", "[4,8]", 9),
                 {"the data has 9 bytes", "expected the 8 of its tensors and no trailing bytes"});
  expect_refusal(file_of("{}", 1), {"the data has 1 byte", "expected the 0"});
}

TEST(SafetensorsDamage, ValuesThatAreNotFinite) {
  using Limits = std::numeric_limits<float>;
  const std::string file = golden();
  for (const float value : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(),
                            Limits::infinity(), -Limits::infinity()}) {
    std::string damaged = file;
    std::memcpy(damaged.data() + file.size() - 8, &value, sizeof(value));
    expect_refusal(damaged, {"tensor \"a\" has the value ", "at index 1", "finite values"});
  }
}

TEST(SafetensorsDamage, AMessageStaysShortAndPrintable) {
  // The name clears the screen.
  const std::string header = fmt::format(
      "{{{}}}", description(fmt::format("\\u001b[2J{:n<1000000}", ""), "[]", "[0,4]", "\"F16\""));
  try {
    parse(file_of(header));
    FAIL() << "no error";
  } catch (const ModelFileError& error) {
    const std::string_view message = error.what();
    EXPECT_LT(message.size(), 300);
    EXPECT_EQ(message.find('\x1b'), std::string_view::npos);
  }
}

TEST(SafetensorsDamage, AMessageEscapesWhatJsonDoesNot) {
  // U+009B starts a terminal command, as ESC [ does; U+202E reverses the text.
  // NOLINTNEXTLINE(misc-misleading-bidirectional): that is what it tests
  for (const std::string_view control : {"\xc2\x9b", "\xe2\x80\xae", "\x7f"}) {
    const std::string dtype = fmt::format("[\"{}2J\"]", control);
    try {
      parse(tensor_of("[1]", "[0,4]", 4, dtype));
      FAIL() << "no error";
    } catch (const ModelFileError& error) {
      EXPECT_EQ(std::string_view(error.what()).find(control), std::string_view::npos);
    }
  }
}

// A damaged file is refused with a ModelFileError, or its content can be written and read again.
void expect_value_or_refusal(std::string_view text) {
  TensorFile file;
  try {
    file = parse(text);
  } catch (const ModelFileError& error) {
    EXPECT_EQ(std::string_view(error.what()).find(kOrigin), 0) << error.what();
    return;
  }
  expect_equal(parse_safetensors(format_safetensors(file), kOrigin), file);
}

TEST(SafetensorsDamage, TruncationAtEveryByte) {
  const std::string file = golden();
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    // A copy of exactly this size lets AddressSanitizer detect a read past the end.
    const std::vector<char> part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    expect_refusal({part.data(), part.size()}, {});
  }
}

TEST(SafetensorsDamage, EverySingleBitFlip) {
  const std::string file = golden();
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    expect_value_or_refusal(damaged);
  }
}

TEST(SafetensorsDamage, EveryByteReplacedByEachStructuralOne) {
  const std::string file = golden();
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const char byte : std::string_view("{}[]\",:\\-0 9e.\xff\0", 16)) {
      SCOPED_TRACE(i);
      std::string damaged = file;
      damaged[i] = byte;
      expect_value_or_refusal(damaged);
    }
  }
}

void expect_unwritable(const TensorFile& content, std::initializer_list<std::string_view> parts) {
  expect_error<InputError>([&] { format_safetensors(content); }, {"expected"});
  expect_error<InputError>([&] { format_safetensors(content); }, parts);
}

TEST(SafetensorsWriter, RefusesWhatTheReaderWould) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::int64_t> wrapping{4194305, 4194305, 211106198978564};
  expect_unwritable({{}, {{"w", {2, 3}, {1, 2, 3, 4, 5}}}}, {"\"w\" has 5 values", "[2, 3]"});
  expect_unwritable({{}, {{"w", wrapping, {1, 2, 3, 4}}}}, {"\"w\" has 4 values"});
  expect_unwritable({{}, {{"w", {0}, {}}}}, {"\"w\" has a dimension 0", "at least 1"});
  expect_unwritable({{}, {{"w", {-1}, {1}}}}, {"\"w\" has a dimension -1", "at least 1"});
  expect_unwritable({{}, {{"w", {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1}}}}, {"9 dimensions", "most 8"});
  expect_unwritable({{}, {{"w", {2}, {1, nan}}}}, {"\"w\" has the value nan at index 1"});
  expect_unwritable({{}, {{"w", {1}, {1}}, {"w", {1}, {1}}}},
                    {"\"w\" has a name that is already taken"});
  expect_unwritable({{}, {{"__metadata__", {1}, {1}}}}, {"\"__metadata__\" has a name"});
  expect_unwritable({{{"k", "\xff"}}, {}}, {"not text", "UTF-8"});
  expect_unwritable({{}, {{"\xff", {1}, {1}}}}, {"not text", "UTF-8"});
  expect_unwritable({{{"k", std::string(kMaxHeaderBytes, 'v')}}, {}}, {"at most 1048576"});
}

TEST(SafetensorsWriter, ARefusalNamesTheFileAndKeepsIt) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "model";
  put(file, "old");
  expect_error<InputError>(
      [&] {
        write_safetensors(file, {{}, {{"w", {2}, {1}}}});
      },
      {file.string(), "\"w\" has 1 value"});
  EXPECT_EQ(get(file), "old");
}

}  // namespace
}  // namespace rwa::io
