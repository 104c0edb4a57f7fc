// tests/workflows/verdict_test.cc: tests when a model is said to be no better than a baseline.
#include "workflows/verdict.h"

#include <gtest/gtest.h>

namespace rwa::workflows {
namespace {

using training::End;

Scores accuracy(double value) { return {.loss = 1, .unit = "bits", .accuracy = value}; }
Scores error(double rmse) { return {.loss = 1, .unit = "mse", .numbers = {{"load", rmse, rmse}}}; }

training::Record ended_by(End end) {
  training::Record run;
  run.end = end;
  return run;
}

std::string said(const Scores& model, const Scores& constant, const Scores& informed,
                 End end = End::kPatience) {
  return remark(compare(model, {{"majority class", constant}, {"1-NN", informed}}), ended_by(end));
}

TEST(Verdict, IsSaidExactlyIfTheModelIsNotBetter) {
  EXPECT_EQ(said(accuracy(0.92), accuracy(0.5), accuracy(0.913)), "");
  EXPECT_EQ(said(accuracy(0.9), accuracy(0.5), accuracy(0.913)),
            "not better than 1-NN (91.3 %): try --stem 15,9, a lower --learning-rate, or rwa tune");
  EXPECT_EQ(said(accuracy(0.913), accuracy(0.5), accuracy(0.913)),
            "not better than 1-NN (91.3 %): try --stem 15,9, a lower --learning-rate, or rwa tune");
  EXPECT_EQ(said(accuracy(0.7), accuracy(0.75), accuracy(0.6)),
            "not better than the majority class (75.0 %): try --stem 15,9, a lower "
            "--learning-rate, or rwa tune");
}

TEST(Verdict, APerfectModelCannotBeBetter) {
  EXPECT_EQ(said(accuracy(1), accuracy(0.5), accuracy(1)), "");
  EXPECT_EQ(said(error(0), error(1), error(0)), "");
}

TEST(Verdict, OfErrorsTheLowestIsTheBest) {
  EXPECT_EQ(said(error(0.3), error(0.5), error(0.4)), "");
  EXPECT_EQ(
      said(error(0.45), error(0.5), error(0.4)),
      "not better than 1-NN (RMSE 0.4): try --stem 15,9, a lower --learning-rate, or rwa tune");
  // Two numbers have two units: their loss decides.
  Scores two = error(9);
  two.numbers.push_back({"speed", 1, 1});
  Scores better = two;
  better.loss = 0.25;
  EXPECT_EQ(said(better, two, two), "");
  EXPECT_EQ(
      said(two, two, better),
      "not better than 1-NN (0.25 MSE): try --stem 15,9, a lower --learning-rate, or rwa tune");
}

TEST(Verdict, TheAdviceFitsTheEndOfTheRun) {
  const auto advice = [](End end) {
    const std::string text = said(accuracy(0.1), accuracy(0.2), accuracy(0.3), end);
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(advice(End::kSteps), "try --stem 15,9, more --steps, or rwa tune");
  EXPECT_EQ(advice(End::kTime), "try --stem 15,9, a longer --time-budget, or rwa tune");
  EXPECT_EQ(advice(End::kPatience), "try --stem 15,9, a lower --learning-rate, or rwa tune");
}

TEST(Verdict, OfSeveralRunsComparesTheMeans) {
  const auto compared = [](double model, double baseline) {
    return compare(accuracy(model),
                   {{"majority class", accuracy(0.1)}, {"1-NN", accuracy(baseline)}});
  };
  const training::Record run = ended_by(End::kPatience);
  EXPECT_EQ(remark(mean_of({compared(0.5, 0.6), compared(0.9, 0.7)}), run), "");
  EXPECT_EQ(remark(mean_of({compared(0.5, 0.6), compared(0.7, 0.7)}), run),
            "not better than 1-NN (65.0 %): try --stem 15,9, a lower --learning-rate, or rwa tune");
  Comparison without = compared(0.5, 0.6);
  without.baselines.pop_back();
  EXPECT_EQ(mean_of({compared(0.5, 0.6), without}).baselines.size(), 1U);
}

}  // namespace
}  // namespace rwa::workflows
