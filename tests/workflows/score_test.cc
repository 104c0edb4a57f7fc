// tests/workflows/score_test.cc: compares scores with numbers computed by hand and with the loss of
// training.
#include "workflows/score.h"

#include "workflows/score_sums.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rwa/errors.h"
#include "workflows/evaluate.h"
#include "workflows/predict.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

Sample sample_of(std::string id, int steps) {
  Sample sample;
  sample.sequence.id = std::move(id);
  sample.sequence.steps = steps;
  return sample;
}

// Logits that give these probabilities.
std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

datasets::Encoding two_classes() {
  datasets::Encoding encoding = numbers_encoding(Target::kClass);
  encoding.labels = {"no", "yes"};
  return encoding;
}

void add_class(ScoreAccumulator& accumulator, std::int32_t truth,
               const std::vector<double>& probabilities, int steps = 3, std::string id = "x") {
  Sample sample = sample_of(std::move(id), steps);
  sample.sequence.labels = {truth};
  accumulator.add(sample, logits_of(probabilities));
}

TEST(ScoreAccumulator, Classes) {
  const datasets::Encoding encoding = two_classes();
  ScoreAccumulator accumulator(encoding);
  add_class(accumulator, 0, {0.75, 0.25});  // right
  add_class(accumulator, 0, {0.75, 0.25});
  add_class(accumulator, 0, {0.25, 0.75});  // wrong
  add_class(accumulator, 1, {0.25, 0.75});  // right
  const Scores scores = accumulator.finish();
  EXPECT_EQ(scores.sequences, 4);
  EXPECT_EQ(scores.answers, 4);
  EXPECT_EQ(scores.unit, "bits");
  EXPECT_NEAR(scores.loss, (-3 * std::log2(0.75) - std::log2(0.25)) / 4, 1e-6);
  EXPECT_EQ(scores.accuracy, 0.75);
  EXPECT_EQ(scores.confusion, (std::vector<std::vector<std::int64_t>>{{2, 1}, {0, 1}}));
  const LabelScore& no = scores.labels[0];
  EXPECT_EQ(no.name, "no");
  EXPECT_EQ(no.support, 3);
  EXPECT_EQ(no.predicted, 2);
  EXPECT_DOUBLE_EQ(no.precision, 1);
  EXPECT_DOUBLE_EQ(no.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(no.f1, 0.8);
  EXPECT_DOUBLE_EQ(scores.labels[1].precision, 0.5);
  EXPECT_DOUBLE_EQ(scores.labels[1].f1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*scores.macro_f1, (0.8 + 2.0 / 3) / 2);
  // (1·2 - 1·0) / √(2·1·2·3)
  EXPECT_DOUBLE_EQ(*scores.matthews, 2 / std::sqrt(12.0));
  EXPECT_FALSE(scores.subset_accuracy || scores.micro_f1);
  EXPECT_TRUE(scores.numbers.empty());
}

TEST(ScoreAccumulator, Calibration) {
  const datasets::Encoding encoding = two_classes();
  ScoreAccumulator accumulator(encoding);
  for (int i = 0; i < 3; ++i) add_class(accumulator, i == 0 ? 1 : 0, {0.75, 0.25});
  add_class(accumulator, 0, {1.0 - 1e-9, 1e-9});  // rounds to 1, in the last bin
  const Scores scores = accumulator.finish();
  ASSERT_EQ(scores.calibration.size(), 10u);
  EXPECT_EQ(scores.calibration[7].answers, 3);
  EXPECT_NEAR(scores.calibration[7].confidence, 0.75, 1e-6);
  EXPECT_NEAR(scores.calibration[7].accuracy, 2.0 / 3, 1e-12);
  EXPECT_EQ(scores.calibration[9].answers, 1);
  EXPECT_NEAR(*scores.calibration_error, 0.75 * (0.75 - 2.0 / 3), 1e-6);
}

TEST(ScoreAccumulator, Labels) {
  const datasets::Encoding encoding = numbers_encoding(Target::kLabels);
  ScoreAccumulator accumulator(encoding);
  Sample both = sample_of("both", 2);
  both.sequence.labels = {0, 2};
  accumulator.add(both, std::vector<float>{1, -1, 1});
  Sample none = sample_of("none", 2);
  accumulator.add(none, std::vector<float>{-1, -1, 1});
  const Scores scores = accumulator.finish();
  EXPECT_EQ(scores.accuracy, 5.0 / 6);
  EXPECT_EQ(scores.subset_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(*scores.micro_f1, 0.8);                // 2·2 / (2 + 3)
  EXPECT_DOUBLE_EQ(*scores.macro_f1, (1 + 2.0 / 3) / 2);  // "no" is neither predicted nor true
  const double right = std::log2(1 + std::exp(-1.0)), wrong = std::log2(1 + std::exp(1.0));
  EXPECT_NEAR(scores.loss, (5 * right + wrong) / 6, 1e-6);
  ASSERT_EQ(scores.hardest.size(), 2u);
  EXPECT_EQ(scores.hardest[0].id, "none");
  EXPECT_EQ(scores.hardest[0].truth, "");
  EXPECT_EQ(scores.hardest[0].prediction, "yes");
  EXPECT_EQ(scores.hardest[1].truth, "maybe|yes");
}

TEST(ScoreAccumulator, NumbersInTheirOwnUnit) {
  const datasets::Encoding encoding = numbers_encoding(Target::kNumbers);  // scales 10 and 20
  ScoreAccumulator accumulator(encoding);
  Sample one = sample_of("one", 2), two = sample_of("two", 2);
  one.sequence.values = {0, 1};
  two.sequence.values = {1, 1};
  accumulator.add(one, std::vector<float>{0.5f, 1});
  accumulator.add(two, std::vector<float>{1, 0});
  const Scores scores = accumulator.finish();
  EXPECT_EQ(scores.unit, "mse");
  EXPECT_DOUBLE_EQ(scores.loss, (0.25 + 1) / 4);
  ASSERT_EQ(scores.numbers.size(), 2u);
  EXPECT_EQ(scores.numbers[0].name, "height");
  EXPECT_DOUBLE_EQ(scores.numbers[0].rmse, 10 * std::sqrt(0.125));
  EXPECT_DOUBLE_EQ(scores.numbers[0].mae, 2.5);
  EXPECT_DOUBLE_EQ(*scores.numbers[0].r2, 1 - 0.25 / 0.5);
  EXPECT_DOUBLE_EQ(scores.numbers[1].mae, 10);
  EXPECT_FALSE(scores.numbers[1].r2);  // the target is constant
  EXPECT_EQ(scores.hardest[0].truth, "180, 80");
  EXPECT_EQ(scores.hardest[0].prediction, "180, 60");
  EXPECT_FALSE(scores.accuracy);
}

TEST(ScoreAccumulator, AForecastIsComparedWithTheStepAfter) {
  const datasets::Encoding encoding = letters_encoding(Target::kNone);
  ScoreAccumulator accumulator(encoding);
  Sample sample = sample_of("text", 3);
  sample.sequence.symbols = {0, 1, 2};
  std::vector<float> logits;
  for (const auto& p : {std::vector<double>{0.25, 0.5, 0.25}, {0.25, 0.5, 0.25}, {1e-9, 1, 1e-9}}) {
    for (const float logit : logits_of(p)) logits.push_back(logit);
  }
  accumulator.add(sample, logits);
  accumulator.add(sample_of("nothing", 0), {});
  const Scores scores = accumulator.finish();
  EXPECT_EQ(scores.sequences, 2);
  EXPECT_EQ(scores.answers, 2);
  EXPECT_NEAR(scores.loss, 1.5, 1e-6);  // 1 bit and 2
  EXPECT_EQ(scores.accuracy, 0.5);
  ASSERT_EQ(scores.hardest.size(), 1u);
  EXPECT_EQ(scores.hardest[0].step, 2);
  EXPECT_EQ(scores.hardest[0].truth, "c");
  EXPECT_EQ(scores.hardest[0].prediction, "b");
}

TEST(Joined, NoBinHasFewerThanTen) {
  const std::vector<ConfidenceBin> bins = {{0, 0.1, 0, 0, 0},
                                           {0.1, 0.2, 4, 0.15, 0.5},
                                           {0.2, 0.3, 6, 0.25, 1},
                                           {0.3, 0.4, 30, 0.35, 0.4},
                                           {0.4, 0.5, 9, 0.45, 0}};
  const auto kept = joined(bins);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].answers, 10);
  EXPECT_DOUBLE_EQ(kept[0].to, 0.3);
  EXPECT_DOUBLE_EQ(kept[0].confidence, 0.21);
  EXPECT_DOUBLE_EQ(kept[0].accuracy, 0.8);
  EXPECT_EQ(kept[1].answers, 39);
  EXPECT_DOUBLE_EQ(kept[1].to, 0.5);
  EXPECT_EQ(joined({{0, 1, 3, 0.5, 1}}).size(), 1u);  // all there is
}

TEST(ScoreAccumulator, FewSequencesHaveOneBinOfLengths) {
  const datasets::Encoding encoding = two_classes();
  ScoreAccumulator accumulator(encoding);
  for (int steps = 1; steps <= 19; ++steps) add_class(accumulator, 0, {0.75, 0.25}, steps);
  const Scores scores = accumulator.finish();
  ASSERT_EQ(scores.lengths.size(), 1u);
  EXPECT_EQ(scores.lengths[0].shortest, 1);
  EXPECT_EQ(scores.lengths[0].longest, 19);
  EXPECT_EQ(scores.lengths[0].sequences, 19);
}

TEST(ScoreAccumulator, ShowsEvenlySpacedNumbers) {
  const datasets::Encoding encoding = numbers_encoding(Target::kNumbers);
  ScoreAccumulator accumulator(encoding);
  const std::size_t outputs = encoding.outputs().size();
  for (int i = 0; i < 2500; ++i) {
    Sample sample = sample_of("s", 1);
    sample.sequence.values.assign(outputs, static_cast<float>(i));
    accumulator.add(sample, std::vector<float>(outputs, static_cast<float>(i) + 1));
  }
  const Scores scores = accumulator.finish();
  const auto& shown = scores.numbers.front().shown;
  ASSERT_EQ(shown.size(), 625u);
  const double scale = encoding.targets.scale[0], mean = encoding.targets.mean[0];
  for (std::size_t k = 0; k < shown.size(); ++k) {
    EXPECT_NEAR(shown[k].truth, 4.0 * static_cast<double>(k) * scale + mean, 1e-2);
    EXPECT_NEAR(shown[k].prediction, (4.0 * static_cast<double>(k) + 1) * scale + mean, 1e-2);
  }
}

TEST(ScoreAccumulator, LengthsInBinsOfEqualNumbers) {
  const datasets::Encoding encoding = two_classes();
  ScoreAccumulator accumulator(encoding);
  for (int steps = 1; steps <= 100; ++steps) {
    add_class(accumulator, 0, {steps > 50 ? 0.25 : 0.75, steps > 50 ? 0.75 : 0.25}, steps);
  }
  Scores scores = accumulator.finish();
  ASSERT_EQ(scores.lengths.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    const LengthBin& bin = scores.lengths[i];
    EXPECT_EQ(bin.shortest, 10 * static_cast<int>(i) + 1);
    EXPECT_EQ(bin.longest, 10 * static_cast<int>(i) + 10);
    EXPECT_EQ(bin.sequences, 10);
    EXPECT_EQ(bin.accuracy, i < 5 ? 1 : 0);
  }
  // Most have the same length and stay in one bin.
  ScoreAccumulator equal(encoding);
  for (int i = 0; i < 97; ++i) add_class(equal, 0, {0.75, 0.25}, 7);
  for (const int steps : {1, 2, 9}) add_class(equal, 0, {0.75, 0.25}, steps);
  scores = equal.finish();
  std::int64_t sequences = 0;
  for (const LengthBin& bin : scores.lengths) sequences += bin.sequences;
  EXPECT_EQ(sequences, 100);
  EXPECT_LE(scores.lengths.size(), 3u);
}

TEST(ScoreAccumulator, TheTenHardest) {
  const datasets::Encoding encoding = two_classes();
  ScoreAccumulator accumulator(encoding);
  for (int i = 0; i < 100; ++i) {
    const double p = 0.5 + 0.4 * ((i * 37) % 100) / 100;  // each once
    add_class(accumulator, 1, {p, 1 - p}, 3, fmt::format("{}", (i * 37) % 100));
  }
  const Scores scores = accumulator.finish();
  ASSERT_EQ(scores.hardest.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(scores.hardest[static_cast<std::size_t>(i)].id, fmt::format("{}", 99 - i));
  }
  EXPECT_NEAR(scores.hardest[0].loss, -std::log2(1 - 0.896), 1e-5);
  EXPECT_EQ(scores.hardest[0].truth, "yes");
  EXPECT_EQ(scores.hardest[0].prediction, "no");
}

TEST(ScoreAccumulator, WithoutAnswersThereIsNoScore) {
  const datasets::Encoding classes = two_classes();
  io::expect_error<InputError>([&] { (void)ScoreAccumulator(classes).finish(); },
                               {"found no targets"});
}

// A few sequences that training holds out may have no labels. A file to score must have some.
TEST(ScoreAccumulator, ScoresSequencesWithoutLabels) {
  const Trained trained = make_trained(numbers_encoding(Target::kLabels));
  ScoreAccumulator accumulator(trained.encoding);
  accumulator.add(sample_of("none", 1), std::vector<float>{-1, -1, 1});
  EXPECT_NEAR(*accumulator.finish().accuracy, 2.0 / 3, 1e-12);
  const auto once = [given = false](Sample& sample) mutable {
    sample.sequence = {};
    sample.sequence.steps = 1;
    sample.sequence.x = {0, 0};
    return !std::exchange(given, true);
  };
  io::expect_error<InputError>([&] { (void)score(trained, once, {}); }, {"found no labels"});
}

// The loss equals that of training.
TEST(Score, HasTheLossOfTraining) {
  const io::TempFolder folder;
  const std::filesystem::path in = folder.path() / "in.csv";
  for (const Target target : {Target::kNone, Target::kClass, Target::kNumbers,
                              Target::kClassPerStep, Target::kNumbersPerStep}) {
    const Trained trained = make_trained(numbers_encoding(target));
    io::put(in, long_table(40, target));
    const Scores scores = score(trained, open_samples(trained.encoding, {&in, 1}, true), {});

    std::vector<Sample> samples;
    const SampleSource next = open_samples(trained.encoding, {&in, 1}, true);
    for (Sample sample; next(sample);) samples.push_back(sample);
    std::vector<const formats::Sequence*> sequences;
    for (const Sample& sample : samples) sequences.push_back(&sample.sequence);
    const formats::Vocabulary none;
    datasets::Batch batch;
    datasets::Encoder(trained.encoding, none).fill(sequences, batch);
    Session session(trained.model);
    const double loss = session.loss(batch.sequences(), batch.targets());
    const bool bits = trained.encoding.shape().loss != Loss::kSquaredError;
    EXPECT_NEAR(scores.loss, bits ? loss / std::log(2.0) : loss, 1e-5 * scores.loss)
        << to_string(target);
    EXPECT_EQ(scores.sequences, 40);
  }
}

TEST(ScoreText, JsonHasStableKeys) {
  const datasets::Encoding encoding = two_classes();
  ScoreAccumulator accumulator(encoding);
  add_class(accumulator, 0, {0.75, 0.25});
  add_class(accumulator, 1, {0.75, 0.25}, 5, "bad\xFF");
  const auto json = nlohmann::json::parse(to_json(accumulator.finish()));
  EXPECT_EQ(json["accuracy"], 0.5);
  EXPECT_EQ(json["unit"], "bits");
  EXPECT_EQ(json["confusion"], (nlohmann::json{{1, 0}, {1, 0}}));
  EXPECT_EQ(json["per_class"][1]["label"], "yes");
  EXPECT_EQ(json["per_class"][1]["recall"], 0);
  EXPECT_EQ(json["calibration"].size(), 10u);
  EXPECT_EQ(json["by_length"][0]["accuracy"], 0.5);
  EXPECT_EQ(json["hardest"][0]["truth"], "yes");
  for (const char* key : {"loss", "macro_f1", "matthews", "calibration_error", "sequences"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_FALSE(json.contains("per_number"));
}

TEST(ScoreText, TablesFitOnAScreen) {
  datasets::Encoding encoding = numbers_encoding(Target::kClass);
  for (const int classes : {20, 21}) {
    encoding.labels.clear();
    for (int i = 0; i < classes; ++i) encoding.labels.push_back(fmt::format("class {}", i));
    ScoreAccumulator accumulator(encoding);
    add_class(accumulator, 3,
              std::vector<double>(static_cast<std::size_t>(classes), 1.0 / classes));
    const std::string text = to_text(Evaluated{.scores = accumulator.finish()});
    EXPECT_EQ(text.find("Confusion matrix") != std::string::npos, classes == 20);
    EXPECT_NE(text.find("class 3"), std::string::npos);
    EXPECT_NE(text.find("accuracy"), std::string::npos);
  }
}

}  // namespace
}  // namespace rwa::workflows
