// tests/datasets/encoding_test.cc: the shape of a network for files, and how sequences become
// batches.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "datasets/encoding.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "store_testing.h"

namespace rwa::datasets {
namespace {
using formats::Target;
using io::expect_error;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

Encoding of_numbers(Target target) {
  return {.schema = {.features = {"a", "b"}, .target = target},
          .features = {.mean = {1, 10}, .scale = {2, 5}}};
}

Encoding of_symbols(Target target) {
  return {.schema = {.format = formats::Format::kFasta, .symbols = true, .target = target},
          .alphabet = {"A", "C", "G", "T"}};
}

Encoding of_classes() {
  Encoding encoding = of_numbers(Target::kClass);
  encoding.schema.targets = {"kind"};
  encoding.labels = {"no", "yes"};
  return encoding;
}

formats::Vocabulary words(const std::vector<std::string>& symbols,
                          const std::vector<std::string>& labels = {}) {
  formats::Vocabulary vocabulary;
  for (const auto& symbol : symbols) vocabulary.symbols.number(symbol);
  for (const auto& label : labels) vocabulary.labels.number(label);
  return vocabulary;
}

formats::Sequence numbers(std::vector<float> x, std::vector<std::int32_t> labels = {},
                          std::vector<float> values = {}) {
  formats::Sequence sequence;
  sequence.line = 12;
  sequence.steps = static_cast<int>(x.size() / 2);
  sequence.x = std::move(x);
  sequence.labels = std::move(labels);
  sequence.values = std::move(values);
  return sequence;
}

formats::Sequence symbols(std::vector<std::int32_t> symbols) {
  formats::Sequence sequence;
  sequence.line = 3;
  sequence.steps = static_cast<int>(symbols.size());
  sequence.symbols = std::move(symbols);
  return sequence;
}

Batch fill(Encoder& encoder, std::vector<formats::Sequence> sequences, bool whole = false) {
  std::vector<const formats::Sequence*> rows;
  for (formats::Sequence& sequence : sequences) {
    encoder.encode(sequence, "x.csv");
    rows.push_back(&sequence);
  }
  Batch batch;
  batch.classes = {1, 2, 3};
  batch.values = {1, 2, 3};
  batch.x.assign(99, 5);
  batch.symbols.assign(99, 5);
  encoder.fill(rows, batch, whole);
  return batch;
}

void expect_shape(const Encoding& encoding, Input input, int inputs, int outputs, Readout readout,
                  Loss loss) {
  const Shape shape = encoding.shape();
  EXPECT_EQ(shape.input, input);
  EXPECT_EQ(shape.inputs, inputs);
  EXPECT_EQ(shape.outputs, outputs);
  EXPECT_EQ(shape.readout, readout);
  EXPECT_EQ(shape.loss, loss);
  EXPECT_EQ(encoding.outputs().size(), outputs);
  EXPECT_EQ(encoding.answers_every_step(), readout == Readout::kEvery);
}

TEST(Encoding, SaysWhatANetworkMustBe) {
  Encoding encoding = of_classes();
  expect_shape(encoding, Input::kNumbers, 2, 2, Readout::kLast, Loss::kSoftmax);
  encoding.schema.target = Target::kClassPerStep;
  expect_shape(encoding, Input::kNumbers, 2, 2, Readout::kEvery, Loss::kSoftmax);
  encoding.schema.target = Target::kLabels;
  expect_shape(encoding, Input::kNumbers, 2, 2, Readout::kLast, Loss::kSigmoid);
  encoding.schema.targets = {"u", "v", "w"};
  encoding.schema.target = Target::kNumbers;
  expect_shape(encoding, Input::kNumbers, 2, 3, Readout::kLast, Loss::kSquaredError);
  encoding.schema.target = Target::kNumbersPerStep;
  expect_shape(encoding, Input::kNumbers, 2, 3, Readout::kEvery, Loss::kSquaredError);
  expect_shape(of_numbers(Target::kNone), Input::kNumbers, 2, 2, Readout::kEvery,
               Loss::kSquaredError);
  expect_shape(of_symbols(Target::kNone), Input::kSymbols, 4, 4, Readout::kEvery, Loss::kSoftmax);
}

TEST(Encoding, NamesItsOutputs) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(of_classes().outputs(), (Names{"no", "yes"}));
  EXPECT_EQ(of_numbers(Target::kNone).outputs(), (Names{"a", "b"}));
  EXPECT_EQ(of_symbols(Target::kNone).outputs(), (Names{"A", "C", "G", "T"}));
}

TEST(Encoding, SaysHowFilesAreToBeRead) {
  Encoding encoding = of_symbols(Target::kNone);
  encoding.kmer = 3;
  EXPECT_EQ(encoding.options().kmer, 3);
  encoding.tokens = formats::Tokens::kWords;
  encoding.lower = true;
  EXPECT_EQ(encoding.options().tokens, formats::Tokens::kWords);
  EXPECT_TRUE(encoding.options().lower);
  EXPECT_EQ(encoding.options().as, encoding.schema);
  EXPECT_FALSE(encoding.options().format);
}

TEST(Encoder, MakesNumbersNormal) {
  const Encoding encoding = of_classes();
  const auto vocabulary = words({}, {"yes", "no"});
  Encoder encoder(encoding, vocabulary);
  const Batch batch = fill(encoder, {numbers({1, 10, 3, 0}, {0}), numbers({5, 20}, {1})});
  EXPECT_EQ(batch.steps, 2);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(batch.x, (std::vector<float>{0, 0, 2, 2, 1, -2, 0, 0}));
  EXPECT_TRUE(batch.symbols.empty());
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{1, 0}));
  EXPECT_TRUE(batch.values.empty());
}

TEST(Encoder, GivesNoTargetsWhereAnAnswerIsMissing) {
  const Encoding encoding = of_classes();
  const auto vocabulary = words({}, {"yes", "no"});
  Encoder encoder(encoding, vocabulary);
  const Batch batch = fill(encoder, {numbers({1, 10}, {0}), numbers({5, 20})});
  EXPECT_TRUE(batch.classes.empty());
  EXPECT_TRUE(batch.values.empty());
}

TEST(Encoder, GivesEachLabelAPlace) {
  Encoding encoding = of_numbers(Target::kLabels);
  encoding.labels = {"x", "y", "z"};
  const auto vocabulary = words({}, {"z", "x", "y"});
  Encoder encoder(encoding, vocabulary);
  const Batch batch = fill(encoder, {numbers({1, 1}, {0, 1}), numbers({1, 1})});
  EXPECT_EQ(batch.values, (std::vector<float>{1, 0, 1, 0, 0, 0}));
  EXPECT_TRUE(batch.classes.empty());
}

TEST(Encoder, MakesAnswersNormal) {
  Encoding encoding = of_numbers(Target::kNumbers);
  encoding.schema.targets = {"u", "v", "w"};
  encoding.targets = {.mean = {0, 1, 2}, .scale = {1, 2, 4}};
  const formats::Vocabulary none;
  Encoder encoder(encoding, none);
  const Batch batch = fill(encoder, {numbers({1, 1}, {}, {5, 5, 6})});
  EXPECT_EQ(batch.values, (std::vector<float>{5, 2, 1}));
}

TEST(Encoder, PutsAnswersOfStepsBesideThem) {
  Encoding encoding = of_numbers(Target::kClassPerStep);
  encoding.labels = {"no", "yes"};
  const auto vocabulary = words({}, {"no", "yes"});
  Encoder encoder(encoding, vocabulary);
  Batch batch = fill(encoder, {numbers({1, 1, 1, 1}, {1, 1}), numbers({1, 1}, {1})});
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{1, 1, 1, 0}));

  Encoding regression = of_numbers(Target::kNumbersPerStep);
  regression.schema.targets = {"u"};
  regression.targets = {.mean = {1}, .scale = {2}};
  Encoder of_values(regression, vocabulary);
  batch = fill(of_values, {numbers({1, 1}, {}, {7}), numbers({1, 1, 1, 1}, {}, {3, 5})});
  EXPECT_EQ(batch.values, (std::vector<float>{3, 1, 0, 2}));
}

TEST(Encoder, ForecastsTheNextNumbers) {
  const Encoding encoding = of_numbers(Target::kNone);
  const formats::Vocabulary none;
  Encoder encoder(encoding, none);
  const std::vector<formats::Sequence> two = {numbers({1, 10, 3, 15, 5, 20}),
                                              numbers({3, 5, 1, 0})};
  const Batch batch = fill(encoder, two);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(batch.x, (std::vector<float>{0, 0, 1, -1, 1, 1, 0, 0}));
  EXPECT_EQ(batch.values, (std::vector<float>{1, 1, 0, -2, 2, 2, 0, 0}));

  const Batch whole = fill(encoder, two, true);
  EXPECT_EQ(whole.lengths, (std::vector<std::int32_t>{3, 2}));
  EXPECT_EQ(whole.x, (std::vector<float>{0, 0, 1, -1, 1, 1, 0, -2, 2, 2, 0, 0}));
  EXPECT_TRUE(whole.values.empty());
}

TEST(Encoder, ForecastsTheNextSymbol) {
  const Encoding encoding = of_symbols(Target::kNone);
  const auto vocabulary = words({"T", "A", "C", "G"});
  Encoder encoder(encoding, vocabulary);
  const Batch batch = fill(encoder, {symbols({0, 1, 2}), symbols({3, 0})});
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(batch.symbols, (std::vector<std::int32_t>{3, 2, 0, 0}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0, 3, 1, 0}));
  EXPECT_TRUE(batch.x.empty());
}

TEST(Encoder, TakesSequencesOfNoneAndOfOneStep) {
  const Encoding encoding = of_symbols(Target::kNone);
  const auto vocabulary = words({"A"});
  Encoder encoder(encoding, vocabulary);
  Batch batch = fill(encoder, {symbols({}), symbols({0})});
  EXPECT_EQ(batch.steps, 1);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{0, 0}));
  EXPECT_EQ(batch.symbols, (std::vector<std::int32_t>{0, 0}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0, 0}));
  batch = fill(encoder, {symbols({}), symbols({0})}, true);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{0, 1}));

  const Encoding classes = of_classes();
  const auto labels = words({}, {"no"});
  Encoder of_class(classes, labels);
  batch = fill(of_class, {numbers({}, {0})});
  EXPECT_EQ(batch.x, (std::vector<float>{0, 0}));
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{0}));
}

TEST(Encoder, FollowsAVocabularyThatGrows) {
  const Encoding encoding = of_symbols(Target::kNone);
  formats::Vocabulary vocabulary;
  Encoder encoder(encoding, vocabulary);
  formats::Sequence sequence = symbols({vocabulary.symbols.number("G")});
  encoder.encode(sequence, "x.fa");
  EXPECT_EQ(sequence.symbols[0], 2);
  sequence = symbols({vocabulary.symbols.number("Z")});
  expect_error<InputError>(
      [&] { encoder.encode(sequence, "x.fa"); },
      {"x.fa:3: found the symbol \"Z\", expected one of the model's symbols: A C G T"});
}

TEST(Encoder, UnknownSymbolsAreOne) {
  Encoding encoding = of_symbols(Target::kNone);
  encoding.alphabet.emplace_back(kUnknown);
  encoding.unknown = true;
  EXPECT_EQ(encoding.known_symbols(), 4U);
  EXPECT_EQ(encoding.shape().inputs, 5);
  EXPECT_EQ(encoding.shape().outputs, 5);
  auto vocabulary = words({"Z"});
  Encoder encoder(encoding, vocabulary);
  formats::Sequence sequence =
      symbols({0, vocabulary.symbols.number("T"), vocabulary.symbols.number("\u00e9")});
  encoder.encode(sequence, "x.fa");
  EXPECT_EQ(sequence.symbols, (std::vector<std::int32_t>{4, 3, 4}));
}

TEST(Encoder, NamesTheFirstFewOfManySymbols) {
  Encoding encoding = of_symbols(Target::kNone);
  encoding.alphabet.clear();
  for (int i = 10; i < 60; ++i) encoding.alphabet.push_back(std::to_string(i));
  const auto vocabulary = words({"\x1b[2J"});
  Encoder encoder(encoding, vocabulary);
  formats::Sequence sequence = symbols({0});
  expect_error<InputError>(
      [&] { encoder.encode(sequence, "x.fa"); },
      {R"("\x1b[2J", expected one of the model's symbols: 10 11)", "28 29 … (50 in total)"});
}

TEST(Encoder, RefusesALabelThatWasNeverSeen) {
  const Encoding encoding = of_classes();
  const auto vocabulary = words({}, {"perhaps", "yes"});
  Encoder encoder(encoding, vocabulary);
  formats::Sequence sequence = numbers({1, 2}, {0});
  expect_error<InputError>(
      [&] { encoder.encode(sequence, "x.csv"); },
      {"x.csv:12: found the label \"perhaps\", expected one of the model's labels: no yes"});
  sequence = numbers({1, 2}, {0}, {kMissing});
  encoder.encode(sequence, "x.csv", false);
  EXPECT_TRUE(sequence.labels.empty());
  EXPECT_TRUE(sequence.values.empty());
}

TEST(Encoder, FillsWhatIsMissingAsItWasTold) {
  Encoding encoding = of_numbers(Target::kNone);
  const formats::Vocabulary none;
  const std::vector<float> x = {kMissing, 20, 5, kMissing, kMissing, kMissing};
  const auto encoded = [&](Missing missing) {
    encoding.missing = missing;
    Encoder encoder(encoding, none);
    formats::Sequence sequence = numbers(x);
    encoder.encode(sequence, "x.csv");
    return sequence.x;
  };
  EXPECT_EQ(encoded(Missing::kMean), (std::vector<float>{0, 2, 2, 0, 0, 0}));
  EXPECT_EQ(encoded(Missing::kPrevious), (std::vector<float>{0, 2, 2, 2, 2, 2}));
  expect_error<InputError>([&] { encoded(Missing::kRefuse); },
                           {"x.csv:12: found no number for \"a\" at step 1", "expected one"});
}

TEST(Encoder, RefusesAnAnswerThatIsMissing) {
  Encoding encoding = of_numbers(Target::kNumbers);
  encoding.schema.targets = {"u", "v"};
  encoding.targets = {.mean = {0, 0}, .scale = {1, 1}};
  encoding.missing = Missing::kMean;
  const formats::Vocabulary none;
  Encoder encoder(encoding, none);
  formats::Sequence sequence = numbers({1, 1}, {}, {3, kMissing});
  expect_error<InputError>([&] { encoder.encode(sequence, "x.csv"); },
                           {"x.csv:12: found no number for \"v\"", "it is the target"});
}

TEST(Encoder, RefusesANumberThatIsNoneAfterwards) {
  Encoding encoding = of_numbers(Target::kNone);
  encoding.features.scale = {1e-10, 1};
  const formats::Vocabulary none;
  Encoder encoder(encoding, none);
  formats::Sequence sequence = numbers({3e38F, 1});
  expect_error<InputError>([&] { encoder.encode(sequence, "x.csv"); },
                           {"x.csv:12: found 3e+38 for \"a\"", "closer to the mean, 1"});
}

std::vector<std::pair<int, int>> ends(int steps, int window, int stride) {
  std::vector<std::pair<int, int>> all;
  for (const Piece piece : pieces(steps, window, stride)) all.emplace_back(piece.begin, piece.end);
  return all;
}

TEST(Pieces, AreOfTheWindowAndTheStride) {
  using Ends = std::vector<std::pair<int, int>>;
  EXPECT_EQ(ends(10, 0, 0), (Ends{{0, 10}}));
  EXPECT_EQ(ends(0, 4, 4), (Ends{{0, 0}}));
  EXPECT_EQ(ends(4, 4, 4), (Ends{{0, 4}}));
  EXPECT_EQ(ends(10, 4, 4), (Ends{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(ends(10, 4, 3), (Ends{{0, 4}, {3, 7}, {6, 10}}));
  EXPECT_EQ(ends(5, 4, 1), (Ends{{0, 4}, {1, 5}}));
}

// The step that is only a target in one window is the first input of the next, so that no step is
// lost.
TEST(Pieces, OfAForecastEndWithTheFirstStepOfTheNext) {
  std::vector<std::pair<int, int>> all;
  for (const Piece piece : pieces(10, 4, 4, true)) all.emplace_back(piece.begin, piece.end);
  EXPECT_EQ(all, (std::vector<std::pair<int, int>>{{0, 5}, {4, 9}, {8, 10}}));
}

RC_GTEST_PROP(Pieces, HaveEveryStepAndNoneTwiceInARow, ()) {
  const int steps = *rc::gen::inRange(0, 200);
  const int window = *rc::gen::inRange(1, 50);
  const int stride = *rc::gen::inRange(1, window + 1);
  int end = 0;
  for (const Piece piece : pieces(steps, window, stride)) {
    RC_ASSERT(piece.begin <= end);
    RC_ASSERT(piece.end > end || steps == 0);
    RC_ASSERT(piece.end - piece.begin <= window);
    RC_ASSERT(piece.end == steps || piece.end - piece.begin == window);
    end = piece.end;
  }
  RC_ASSERT(end == steps);
}

TEST(Pieces, HaveTheirPartOfTheSequence) {
  formats::Sequence whole = numbers({1, 2, 3, 4, 5, 6}, {7, 8, 9}, {10, 11, 12});
  whole.id = "me";
  whole.symbols = {20, 21, 22};
  formats::Sequence piece = made_sequence(5, 10);
  cut(whole, {1, 3}, true, piece);
  EXPECT_EQ(piece.id, "me");
  EXPECT_EQ(piece.line, 12);
  EXPECT_EQ(piece.steps, 2);
  EXPECT_EQ(piece.x, (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(piece.symbols, (std::vector<std::int32_t>{21, 22}));
  EXPECT_EQ(piece.labels, (std::vector<std::int32_t>{8, 9}));
  EXPECT_EQ(piece.values, (std::vector<float>{11, 12}));
  cut(whole, {1, 3}, false, piece);
  EXPECT_EQ(piece.labels, whole.labels);
  EXPECT_EQ(piece.values, whole.values);
}

using Row = std::vector<float>;

Row row_of(const Widening& widening, const formats::Sequence& sequence, std::size_t width, int t,
           int place) {
  Row row(widening.inputs(width), -1.0F);
  widening.write_row(sequence, width, t, place, row.data());
  return row;
}

TEST(Widening, ShowsTheStepThenThoseBeforeIt) {
  const Widening widening{.context = 3};
  formats::Sequence numbers;
  numbers.steps = 3;
  numbers.x = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(row_of(widening, numbers, 2, 2, 2), (Row{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(row_of(widening, numbers, 2, 0, 0), (Row{1, 2, 0, 0, 0, 0}));
  formats::Sequence symbols;
  symbols.steps = 2;
  symbols.symbols = {2, 0};
  EXPECT_EQ(row_of(widening, symbols, 3, 1, 1), (Row{1, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(Widening, APlaceIsAHillThatIsHighestWhereItIsNearest) {
  const Widening widening{.positions = 4, .span = 80};
  formats::Sequence symbols;
  symbols.steps = 80;
  symbols.symbols.assign(80, 0);
  const Row row = row_of(widening, symbols, 1, 30, 30);
  ASSERT_EQ(row.size(), 5);
  EXPECT_FLOAT_EQ(row[2], 1);  // the centre of the second of four positions, 20 to 40
  EXPECT_GT(row[1], row[4]);
  EXPECT_FLOAT_EQ(row[1], row[3]);
}

TEST(Widening, MakesNumbersOfSymbols) {
  Encoding encoding;
  encoding.schema.symbols = true;
  encoding.alphabet = {"A", "C", "G", "T"};
  encoding.schema.target = formats::Target::kClass;
  encoding.labels = {"no", "yes"};
  EXPECT_EQ(encoding.shape().input, Input::kSymbols);
  encoding.widening = {.context = 7, .positions = 16, .span = 81};
  EXPECT_EQ(encoding.shape().input, Input::kNumbers);
  EXPECT_EQ(encoding.shape().inputs, 7 * 4 + 16);
  EXPECT_EQ(parse_encoding(to_json(encoding), "test"), encoding);
}

}  // namespace
}  // namespace rwa::datasets
