// tests/workflows/explain_test.cc: tests explanations of sequences in files, as text, JSON and
// pages.
#include "workflows/explain.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "rwa/errors.h"
#include "workflows/explain_report.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ExplainTest : public ::testing::Test {
 protected:
  std::vector<Explanation> explained(const Trained& trained, const std::string& text,
                                     const ExplainOptions& options = {}) {
    io::put(file_, text);
    std::vector<Explanation> all;
    const std::vector<fs::path> paths = {file_};
    explain(trained, paths, options, [&](const Explanation& made) { all.push_back(made); });
    return all;
  }

  io::TempFolder folder_;
  fs::path file_ = folder_.path() / "data.txt";
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string> ids_of(const std::vector<Explanation>& all) {
  std::vector<std::string> ids;
  for (const Explanation& made : all) ids.push_back(made.sequence.id);
  return ids;
}

constexpr const char* kLetters = "__label__yes abcabc\n__label__no cc\nbacca\n";

TEST_F(ExplainTest, TellsAnswerAndTruthOfEverySequence) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const auto all = explained(trained, kLetters);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].truth, "yes");
  EXPECT_EQ(all[1].truth, "no");
  EXPECT_FALSE(all[2].truth);
  EXPECT_EQ(all[1].attribution.steps.size(), 2);
  for (const Explanation& made : all) {
    EXPECT_EQ(made.method, Method::kShares);
    EXPECT_EQ(made.output, made.logits[1] > made.logits[0] ? 1 : 0);
  }
}

TEST_F(ExplainTest, AnAnswerThatTheModelCannotHaveIsNone) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const auto all = explained(trained, "__label__maybe abc\n__label__yes cab\n");
  EXPECT_FALSE(all.at(0).truth);
  EXPECT_EQ(all.at(1).truth, "yes");
}

TEST_F(ExplainTest, TakesTheFirstOrThoseOfAnId) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const std::string table = long_table(20, Target::kClass);
  file_ = folder_.path() / "data.csv";
  EXPECT_EQ(explained(trained, table).size(), 10);
  EXPECT_EQ(ids_of(explained(trained, table, {.limit = 2})),
            (std::vector<std::string>{"s0", "s1"}));
  EXPECT_EQ(ids_of(explained(trained, table, {.ids = {"s17", "s3"}})),
            (std::vector<std::string>{"s3", "s17"}));
  io::expect_error<ConfigError>(
      [&] {
        explained(trained, table, {.ids = {"s3", "\x1b[31m"}});
      },
      {"found no sequence with the id '\\x1b[31m'"});
}

TEST_F(ExplainTest, ExplainsAnotherOutputWhereAsked) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const auto no =
      explained(trained, "abc\n", {.method = Method::kGradients, .output = "no"}).front();
  const auto yes =
      explained(trained, "abc\n", {.method = Method::kGradients, .output = "yes"}).front();
  EXPECT_EQ(no.output, 0);
  EXPECT_NEAR(std::exp2(no.attribution.value) + std::exp2(yes.attribution.value), 1, 1e-5);
  io::expect_error<ConfigError>([&] { explained(trained, "abc\n", {.output = "yess"}); },
                                {"the model has no output 'yess'", "did you mean yes"});
}

TEST_F(ExplainTest, CutsLongSequencesAsTheTrainingDid) {
  datasets::Encoding encoding = letters_encoding(Target::kClass);
  encoding.window = encoding.stride = 4;
  const auto all = explained(make_trained(encoding), "abcabcabca\n");
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[2].from, 9);
  EXPECT_EQ(all[2].sequence.steps, 2);
}

TEST_F(ExplainTest, OfAnswersToEveryStepExplainsTheLast) {
  const Trained trained = make_trained(letters_encoding(Target::kNone));
  const auto made = explained(trained, "abcab\n").front();
  std::vector<float> y(5 * 3);
  Session(trained.model).run({.steps = 5, .batch = 1, .symbols = made.sequence.symbols}, y);
  EXPECT_EQ(made.logits, (std::vector<float>{y.end() - 3, y.end()}));
  EXPECT_FALSE(made.truth);
  const auto parsed = json::parse(ExplanationText(trained).to_json(made));
  EXPECT_EQ(parsed.at("step"), 5);
}

TEST_F(ExplainTest, LeavesOutSequencesWithoutSteps) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  EXPECT_EQ(explained(trained, "abc\n\n__label__yes\nb\n").size(), 2);
}

TEST_F(ExplainTest, JsonHasSharesOfStepsAndUnits) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const auto made = explained(trained, kLetters).front();
  const auto parsed = json::parse(ExplanationText(trained).to_json(made));
  EXPECT_EQ(parsed.at("method"), "shares");
  EXPECT_EQ(parsed.at("truth"), "yes");
  EXPECT_TRUE(parsed.at("probabilities").contains("no"));
  ASSERT_EQ(parsed.at("shares").size(), 6);
  ASSERT_EQ(parsed.at("units").size(), 8);
  for (std::size_t t = 0; t < 6; ++t) {
    double sum = 0;
    for (const auto& unit : parsed.at("units")) sum += unit.at(t).get<double>();
    EXPECT_NEAR(parsed.at("shares").at(t).get<double>(), sum / 8, 1e-6);
  }
}

TEST_F(ExplainTest, JsonHasGradientsOfStepsAndFeatures) {
  const Trained trained = make_trained(numbers_encoding(Target::kNumbers));
  file_ = folder_.path() / "data.csv";
  const auto made =
      explained(trained, long_table(1, Target::kNumbers), {.method = Method::kGradients}).front();
  const auto parsed = json::parse(ExplanationText(trained).to_json(made));
  EXPECT_EQ(parsed.at("explained"), "height");
  EXPECT_FLOAT_EQ(parsed.at("value").get<float>(),
                  parsed.at("prediction").at("height").get<float>());
  const auto& steps = parsed.at("gradients");
  double sum = 0;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    sum += steps[t].get<double>();
    EXPECT_NEAR(steps[t].get<double>(),
                parsed.at("features").at("u").at(t).get<double>() +
                    parsed.at("features").at("v").at(t).get<double>(),
                1e-4);
  }
  EXPECT_NEAR(parsed.at("value").get<double>() - parsed.at("baseline").get<double>() - sum,
              parsed.at("gap").get<double>(), 1e-4);
}

TEST_F(ExplainTest, TextShowsLettersWithBarsAndTheGreatest) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  Explanation made = explained(trained, kLetters).front();
  made.attribution.steps = {0, 0.5F, 0.25F, 0.125F, 0.1F, 0.025F};
  const auto lines = lines_of(ExplanationText(trained).to_text(made));
  ASSERT_EQ(lines.size(), 10);
  EXPECT_TRUE(contains(lines[0], ", truth yes"));
  EXPECT_EQ(lines[1], "abcabc");
  EXPECT_EQ(lines[2], " █▄▂▂");
  EXPECT_EQ(lines[5], "   2  50.00 %  b");
  EXPECT_EQ(lines[6], "   3  25.00 %  c");
}

TEST_F(ExplainTest, TextOfNumbersShowsThemInTheirOwnUnit) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  file_ = folder_.path() / "data.csv";
  const auto made = explained(trained, "id,u,v\ns,3.5,100\n").front();
  const auto lines = lines_of(ExplanationText(trained).to_text(made));
  EXPECT_EQ(lines[1], "step     share    u    v");
  EXPECT_EQ(lines[3], "   1  100.00 %  3.5  100");
}

TEST_F(ExplainTest, ThePictureOfNumbersHasCurvesSharesAndUnits) {
  datasets::Encoding encoding = numbers_encoding(Target::kClass);
  const Trained trained = make_trained(encoding);
  file_ = folder_.path() / "data.csv";
  const auto made = explained(trained, "id,u,v\ns,3.5,100\ns,4,101\n").front();
  const auto picture = ExplanationPage(trained, Method::kShares, "m").picture(made);
  ASSERT_EQ(picture.tracks.size(), 2);
  EXPECT_EQ(picture.tracks[0].name, "u");
  EXPECT_NEAR(picture.tracks[1].values[1], 101, 1e-4);
  EXPECT_TRUE(picture.tracks[0].weights.empty());
  EXPECT_EQ(picture.rows.size(), 8);
  EXPECT_EQ(picture.weights.size(), 2);
}

TEST_F(ExplainTest, DrawsTheUnitsWithTheGreatestWeights) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  Explanation made = explained(trained, kLetters, {.output = "yes"}).front();
  const auto picture = ExplanationPage(trained, Method::kShares, "m").picture(made);
  const auto parameters = trained.model.parameters();
  const auto weights = std::ranges::find(parameters, "output.weight", &Parameter::name)->values;
  std::size_t most = 0;
  for (std::size_t unit = 1; unit < 8; ++unit) {
    if (std::abs(weights[8 + unit]) > std::abs(weights[8 + most])) most = unit;
  }
  EXPECT_EQ(picture.rows[0][2], made.attribution.parts[2 * 8 + most]);
}

TEST_F(ExplainTest, ThePageHasEverySequenceAndNoNameIsMarkup) {
  datasets::Encoding encoding = letters_encoding(Target::kClass);
  encoding.labels = {"<script>alert(1)</script>", "yes"};
  encoding.alphabet = {"&", "<", "b"};
  const Trained trained = make_trained(encoding);
  for (const Method method : {Method::kShares, Method::kGradients}) {
    ExplanationPage page(trained, method, "<i>model</i>");
    for (Explanation& made :
         explained(trained, "&<b\nb<\n", {.method = method, .output = encoding.labels[0]})) {
      made.sequence.id = "<blink>" + made.sequence.id;
      made.truth = encoding.labels[0];
      page.add(made);
    }
    const std::string html = to_html(page.page());
    EXPECT_FALSE(contains(html, "<script>alert"));
    EXPECT_FALSE(contains(html, "<i>model"));
    EXPECT_FALSE(contains(html, "<blink>"));
    EXPECT_TRUE(contains(html, "id=\"sequence-2\""));
    EXPECT_TRUE(contains(html, ">&lt;</text>"));
    EXPECT_TRUE(contains(html, "truth &lt;script&gt;"));
  }
}

}  // namespace
}  // namespace rwa::workflows
