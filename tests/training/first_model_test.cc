// tests/training/first_model_test.cc: inputs that training does not show start without effect.
#include "training/first_model.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/task.h"

namespace rwa::training {
namespace {

std::vector<float> outputs(const Model& model, const std::vector<std::int32_t>& symbols,
                           const std::vector<float>& x = {}) {
  Session session(model, {});
  const int steps = static_cast<int>(
      x.empty() ? symbols.size() : x.size() / static_cast<std::size_t>(model.config().inputs));
  std::vector<float> y(static_cast<std::size_t>(model.config().outputs));
  const std::vector<std::int32_t> lengths = {steps};
  session.run({.x = x, .steps = steps, .batch = 1, .lengths = lengths, .symbols = symbols}, y);
  return y;
}

TEST(FirstModel, UnseenSymbolsAreEqual) {
  for (const int embedding : {0, 3}) {
    for (const bool bidirectional : {false, true}) {
      const ModelConfig config{.input = Input::kSymbols,
                               .inputs = 5,
                               .embedding = embedding,
                               .units = 4,
                               .bidirectional = bidirectional,
                               .outputs = 2};
      const Model plain = first_model(config, {});
      EXPECT_NE(outputs(plain, {0, 2}), outputs(plain, {0, 4}));
      const Model model = first_model(config, {.unseen = {2, 4}});
      EXPECT_EQ(outputs(model, {0, 2}), outputs(model, {0, 4}));
      EXPECT_NE(outputs(model, {0, 2}), outputs(model, {0, 3}));
      EXPECT_EQ(outputs(model, {0, 1, 3}), outputs(plain, {0, 1, 3}));
    }
  }
}

TEST(FirstModel, UnseenNumbersAddNothing) {
  for (const int layers : {1, 2}) {
    const Model model =
        first_model({.inputs = 2, .units = 4, .layers = layers, .outputs = 2}, {.unseen = {1}});
    EXPECT_EQ(outputs(model, {}, {1, 0}), outputs(model, {}, {1, 7}));
    EXPECT_NE(outputs(model, {}, {1, 0}), outputs(model, {}, {2, 0}));
  }
}

TEST(FirstModel, UnseenNumbersAddNothingToAStem) {
  const Model model = first_model(
      {.inputs = 2, .stem = {3, 2}, .channels = 5, .units = 4, .outputs = 2}, {.unseen = {1}});
  EXPECT_EQ(outputs(model, {}, {1, 0, 2, 0}), outputs(model, {}, {1, 7, 2, 5}));
  EXPECT_NE(outputs(model, {}, {1, 0, 2, 0}), outputs(model, {}, {2, 0, 2, 0}));
}

TEST(FirstModel, AStemStartsWithTheData) {
  const auto dataset = tasks::open_task(tasks::AddingTask{.steps = 10, .train = 50}, 1, {});
  const ModelConfig config{.inputs = 2, .stem = {3}, .channels = 5, .units = 4};
  const Model initial(config);
  Model model(config), again(config);
  start_stem(*dataset, model);
  start_stem(*dataset, again);
  EXPECT_EQ(outputs(model, {}, {1, 0}), outputs(again, {}, {1, 0}));
  EXPECT_NE(outputs(model, {}, {1, 0}), outputs(initial, {}, {1, 0}));
  Model without({.inputs = 2, .units = 4});
  const auto before = outputs(without, {}, {1, 0});
  start_stem(*dataset, without);
  EXPECT_EQ(outputs(without, {}, {1, 0}), before);
}

}  // namespace
}  // namespace rwa::training
