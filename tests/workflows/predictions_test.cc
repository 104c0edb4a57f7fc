// tests/workflows/predictions_test.cc: tests how outputs of a network become probabilities, labels,
// numbers and text.
#include "workflows/predictions.h"

#include <charconv>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

Prediction prediction_of(Target target, const std::vector<float>& logits) {
  Prediction prediction;
  OutputDecoder(numbers_encoding(target)).decode(logits, prediction);
  return prediction;
}

TEST(OutputDecoder, AClassHasProbabilities) {
  const Prediction prediction =
      prediction_of(Target::kClass, {0.0f, std::log(3.0f), std::log(4.0f)});
  EXPECT_EQ(prediction.chosen, std::vector<std::size_t>{2});
  EXPECT_FLOAT_EQ(prediction.values[0], 0.125f);
  EXPECT_FLOAT_EQ(prediction.values[1], 0.375f);
  EXPECT_FLOAT_EQ(prediction.values[2], 0.5f);
}

RC_GTEST_PROP(OutputDecoder, ProbabilitiesAddUpToOneWhateverTheLogits, (std::uint64_t seed)) {
  const auto logits = RandomData(seed).normal<float>(3, 1000);
  const Prediction prediction = prediction_of(Target::kClass, logits);
  const double sum = std::accumulate(prediction.values.begin(), prediction.values.end(), 0.0);
  RC_ASSERT(std::abs(sum - 1) < 1e-6);
}

TEST(OutputDecoder, LabelsAreMoreLikelyThanNot) {
  const Prediction prediction = prediction_of(Target::kLabels, {std::log(3.0f), 0.0f, 100.0f});
  EXPECT_EQ(prediction.chosen, (std::vector<std::size_t>{0, 2}));
  EXPECT_FLOAT_EQ(prediction.values[0], 0.75f);
  EXPECT_FLOAT_EQ(prediction.values[1], 0.5f);
  EXPECT_FLOAT_EQ(prediction.values[2], 1.0f);
}

TEST(OutputDecoder, NumbersAreInTheirOwnUnit) {
  EXPECT_EQ(prediction_of(Target::kNumbers, {0.5f, -1}).values, (std::vector<float>{175, 40}));
  // A forecast predicts features.
  EXPECT_EQ(prediction_of(Target::kNone, {2, 1}).values, (std::vector<float>{2, 1}));
}

// A row, with its header if the format has one.
std::string text_of(const datasets::Encoding& encoding, RowFormat format, const RowKey& key,
                    const std::vector<float>& logits) {
  const OutputDecoder decoder(encoding);
  PredictionFormatter text(decoder, format);
  std::string all = text.header(key);
  text.append(key, logits, all);
  return all;
}

TEST(PredictionFormatter, Csv) {
  EXPECT_EQ(
      text_of(numbers_encoding(Target::kClass), RowFormat::kCsv, {.id = "a"}, {0, -200, -200}),
      "id,prediction,p_maybe,p_no,p_yes\na,maybe,1,0,0\n");
  EXPECT_EQ(
      text_of(numbers_encoding(Target::kLabels), RowFormat::kCsv, {.id = "a"}, {50, -0.0f, 50}),
      "id,predictions,p_maybe,p_no,p_yes\na,maybe|yes,1,0.5,1\n");
  EXPECT_EQ(text_of(numbers_encoding(Target::kNumbersPerStep), RowFormat::kCsv,
                    {.id = "a", .from = 11, .step = 12}, {0, 0.25f}),
            "id,from,step,height,weight\na,11,12,170,65\n");
  EXPECT_EQ(text_of(numbers_encoding(Target::kNumbers), RowFormat::kCsv, {}, {0, 0}),
            "height,weight\n170,60\n");
}

TEST(PredictionFormatter, CsvQuotesWhatNeedsIt) {
  datasets::Encoding encoding = numbers_encoding(Target::kClass);
  encoding.labels = {"a,b", "c", "say \"d\""};
  EXPECT_EQ(text_of(encoding, RowFormat::kCsv, {.id = "x,\n"}, {-200, -200, 0}),
            "id,prediction,\"p_a,b\",p_c,\"p_say \"\"d\"\"\"\n"
            "\"x,\n\",\"say \"\"d\"\"\",0,0,1\n");
}

TEST(PredictionFormatter, Json) {
  datasets::Encoding encoding = numbers_encoding(Target::kClass);
  encoding.labels = {"a\"b", "c\n", "d\xFF"};  // the last is not UTF-8
  EXPECT_EQ(text_of(encoding, RowFormat::kJson, {.id = "x\\"}, {-200, 0, -200}),
            "{\"id\":\"x\\\\\",\"prediction\":\"c\\n\","
            "\"probabilities\":{\"a\\\"b\":0,\"c\\n\":1,\"d\xEF\xBF\xBD\":0}}\n");
  EXPECT_EQ(
      text_of(numbers_encoding(Target::kLabels), RowFormat::kJson, {.step = 3}, {50, -0.0f, 50}),
      "{\"step\":3,\"predictions\":[\"maybe\",\"yes\"],"
      "\"probabilities\":{\"maybe\":1,\"no\":0.5,\"yes\":1}}\n");
  EXPECT_EQ(text_of(numbers_encoding(Target::kNumbers), RowFormat::kJson, {}, {0, INFINITY}),
            "{\"prediction\":{\"height\":170,\"weight\":null}}\n");
}

RC_GTEST_PROP(PredictionFormatter, NumbersReadBackAsTheSameFloat, (std::uint64_t seed)) {
  RandomData random(seed);
  for (const float number : random.normal<float>(100, std::exp(random.normal<double>(1, 20)[0]))) {
    std::string text;
    append_number(number, text);
    float read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    RC_ASSERT(read == number);
    RC_ASSERT(nlohmann::json::parse(text).get<float>() == number);
  }
}

}  // namespace
}  // namespace rwa::workflows
