#include "workflows/tune.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/random.h"
#include "cells/traits.h"
#include "training/folder.h"

namespace rwa::workflows {
namespace {

// One candidate's dice: each choice takes the next number of its stream.
class Dice {
 public:
  Dice(std::uint64_t seed, int number)
      : random_(seed, Purpose::kTune, static_cast<std::uint32_t>(number)) {}

  template <class Values>
  typename Values::value_type one_of(const Values& values) {
    return values[random_.below(next_++, values.size())];
  }
  // As likely between 1 and 2 as between 2 and 4; of two digits, so that people can say it.
  double between(double low, double high) {
    const double value = low * std::pow(high / low, random_.uniform(next_++));
    return std::stod(fmt::format("{:.1e}", value));
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

std::vector<std::string> tuned_cells() {
  std::vector<std::string> names;
  for (const Cell cell : all_cells()) {
    if (cell_traits(cell).tuned) names.emplace_back(to_string(cell));
  }
  return names;
}

template <class T>
void suggest(std::optional<T>& wish, T value) {
  if (!wish) wish = std::move(value);
}

}  // namespace

Wishes candidate(const Wishes& fixed, const datasets::Shape& shape, std::uint64_t seed,
                 int number) {
  Wishes wishes = fixed;
  if (number == 0) return wishes;
  Dice dice(seed, number);
  suggest(wishes.cell, dice.one_of(tuned_cells()));
  suggest(wishes.units, dice.one_of(std::array{32, 64, 100, 150, 250}));
  suggest(wishes.layers, dice.one_of(std::array{1, 1, 2}));
  suggest(wishes.learning_rate, dice.between(5e-4, 2e-2));
  suggest(wishes.dropout, dice.one_of(std::array{0.0, 0.2, 0.5}));
  suggest(wishes.batch, dice.one_of(std::array{16, 32, 64}));
  const bool both_ways = dice.one_of(std::array{false, true});
  const auto readout = dice.one_of(std::array<std::string, 3>{"last", "mean", "attention"});
  const int embedding = dice.one_of(std::array{0, 16, 32});
  if (shape.readout == Readout::kLast) {
    suggest(wishes.bidirectional, both_ways);
    suggest(wishes.readout, readout);
  }
  if (shape.input == Input::kSymbols) suggest(wishes.embedding, embedding);
  return wishes;
}

std::string in_words(const training::Experiment& experiment) {
  const training::Network& network = experiment.network;
  std::string text = fmt::format("{}, {} units", to_string(network.cell), network.units);
  if (network.layers > 1) text += fmt::format(", {} layers", network.layers);
  if (network.bidirectional) text += ", both ways";
  if (network.embedding > 0) text += fmt::format(", embedding {}", network.embedding);
  if (network.readout != Readout::kLast) text += fmt::format(", {}", to_string(network.readout));
  if (network.dropout > 0) text += fmt::format(", dropout {}", network.dropout);
  return text + fmt::format(", learning rate {}, batch {}", experiment.training.learning_rate,
                            experiment.training.batch);
}

std::vector<int> rounds(int candidates) {
  std::vector<int> counts = {candidates};
  while (counts.back() > 1) counts.push_back((counts.back() + kThird - 1) / kThird);
  return counts;
}

std::optional<double> best_in_validation(const std::filesystem::path& folder) {
  std::optional<double> best;
  for (const training::Metric& metric : training::read_run(folder).metrics) {
    if (metric.split == "valid") best = std::min(best.value_or(metric.loss), metric.loss);
  }
  return best;
}

}  // namespace rwa::workflows
