// tests/backend/recurrent_gradient_test.cc: the reference's backward pass gives the derivatives of
// its forward pass, for every parameter, the inputs and the initial state, by central differences;
// with features and with symbols, in both directions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "support/cases.h"
#include "support/derivative.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using Values = std::vector<double>;

constexpr double kBefore = 7;        // the value of every gradient before backward adds to it
constexpr double kTolerance = 1e-9;  // absolute, or relative for derivatives larger than 1

struct Shape {
  int T, B, D, H;
  std::vector<std::int32_t> lengths;  // empty: all T
};

enum class Probe { kLast, kEvery, kBoth, kFinalState };

enum class Form { kPlain, kSymbols, kReverse, kReverseSymbolsApart };

struct Case {
  Cell cell;
  Activation activation;
  Shape shape;
  Probe probe;
  bool with_state;  // starts from a given state, not at the start of a sequence
  Form form = Form::kPlain;

  [[nodiscard]] RecurrentSpec spec() const {
    RecurrentSpec spec{cell, activation, shape.D, shape.H};
    spec.symbols = form == Form::kSymbols || form == Form::kReverseSymbolsApart;
    spec.reverse = form == Form::kReverse || form == Form::kReverseSymbolsApart;
    if (form == Form::kReverseSymbolsApart) spec.stride = 2 * shape.H;
    return spec;
  }

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    out << to_string(c.cell) << " " << to_string(c.activation) << " T=" << c.shape.T
        << " B=" << c.shape.B << " D=" << c.shape.D << " H=" << c.shape.H << " lengths";
    for (const auto length : c.shape.lengths) out << " " << length;
    return out << " probe " << static_cast<int>(c.probe) << (c.with_state ? " with state" : "")
               << " form " << static_cast<int>(c.form);
  }
};

// A layer, its inputs, and the loss  Σ probe · h  for its gradients; for a final state, too.
class Problem {
 public:
  explicit Problem(const Case& c)
      : case_(c),
        spec_(c.spec()),
        backend_(make_reference_backend()),
        weights_(backend_->make_weights(spec_)),
        pass_(backend_->make_pass(spec_)),
        feed_(backend_->make_feed()) {
    RandomData random(23);
    const auto count = static_cast<std::size_t>(c.shape.T) * static_cast<std::size_t>(c.shape.B);
    const auto units = static_cast<std::size_t>(c.shape.H);
    parameters = random.normal<double>(spec_.parameters(), 0.5);
    if (spec_.symbols) {
      symbols_ = random.classes(count, c.shape.D);
    } else {
      x = random.normal<double>(count * static_cast<std::size_t>(c.shape.D));
    }
    probe_every_ = random.normal<double>(count * units);
    probe_last_ = random.normal<double>(static_cast<std::size_t>(c.shape.B) * units);
    probe_final_ =
        random.normal<double>(static_cast<std::size_t>(c.shape.B) * spec_.carried_size());
    if (c.with_state) state = random_state(random);
    hide_padding();
  }

  // What forward depends on, and backward has gradients for.
  Values parameters, x, state;

  [[nodiscard]] double value() {
    cases::UnitRows<double> every(*backend_, spec_, Values(probe_every_.size(), 0.0));
    cases::UnitRows<double> last(*backend_, spec_, Values(probe_last_.size(), 0.0));
    cases::Numbers<double> initial(*backend_, state);
    cases::Numbers<double> final(*backend_,
                                 static_cast<std::size_t>(case_.shape.B) * spec_.state_size());
    forward(initial.data(), every.data(), last.data(), final.data());
    const Values h = every.read();
    const Values h_last = last.read();
    double sum = 0;
    for (std::size_t i = 0; i < h.size() && uses_every(); ++i) {
      if (counts(i)) sum += probe_every_[i] * h[i];
    }
    for (std::size_t i = 0; i < h_last.size() && uses_last(); ++i) {
      sum += probe_last_[i] * h_last[i];
    }
    const Values final_state = final.read();
    for (std::size_t i = 0; i < probe_final_.size() && uses_final(); ++i) {
      const double number = final_state[place_in_state(i)];
      // L of an empty sequence is always -infinity.
      if (std::isfinite(number)) sum += probe_final_[i] * number;
    }
    return sum;
  }

  void gradient(Values& dparameters, Values& dx, Values& dstate) {
    cases::Numbers<double> initial(*backend_, state);
    cases::UnitRows<double> dh_every(*backend_, spec_, uses_every() ? probe_every_ : Values());
    cases::UnitRows<double> dh_last(*backend_, spec_, uses_last() ? probe_last_ : Values());
    cases::Numbers<double> dfinal(*backend_, uses_final() ? probe_final_ : Values());
    cases::Numbers<double> of_parameters(*backend_, dparameters);
    cases::Numbers<double> of_x(*backend_, dx);
    cases::Numbers<double> of_state(*backend_, dstate);
    forward(initial.data(), nullptr, nullptr, nullptr);
    pass_->backward(*weights_, {.in = feed_->in(),
                                .initial_state = initial.data(),
                                .dh_every = dh_every.data(),
                                .dh_last = dh_last.data(),
                                .parameters = of_parameters.data(),
                                .x = of_x.data(),
                                .initial = of_state.data(),
                                .dfinal_state = dfinal.data()});
    dparameters = of_parameters.read();
    dx = of_x.read();
    dstate = of_state.read();
  }

  // The rows of a state that hold h and the carried sums. The rounding errors have no gradient.
  [[nodiscard]] std::vector<std::size_t> carried() const {
    return spec_.traits().state == 4 ? std::vector<std::size_t>{0, 1, 3}
                                     : std::vector<std::size_t>{0, 1};
  }
  // Index, in a batch of states, of the i-th value of a gradient [B, 1 + carry, H].
  [[nodiscard]] std::size_t place_in_state(std::size_t i) const {
    const auto units = static_cast<std::size_t>(spec_.units);
    const auto rows = carried();
    const std::size_t sequence = i / spec_.carried_size();
    return sequence * spec_.state_size() + rows[i / units % rows.size()] * units + i % units;
  }

 private:
  [[nodiscard]] bool uses_every() const { return case_.probe != Probe::kLast; }
  [[nodiscard]] bool uses_last() const {
    return case_.probe == Probe::kLast || case_.probe == Probe::kBoth;
  }
  [[nodiscard]] bool uses_final() const { return case_.probe == Probe::kFinalState; }
  [[nodiscard]] Rows rows() const { return {case_.shape.T, case_.shape.B, case_.shape.lengths}; }
  // Whether the i-th value of a [T,B,H] array lies within its sequence.
  [[nodiscard]] bool counts(std::size_t i) const {
    const int row = static_cast<int>(i) / spec_.units;
    return rows().has(row / case_.shape.B, row % case_.shape.B);
  }

  // h, and for each unit an average r, a logarithm L, or a cell state c; no rounding errors.
  Values random_state(RandomData& random) const {
    auto all = random.normal<double>(static_cast<std::size_t>(case_.shape.B) * spec_.state_size());
    const auto row_of = [&](std::size_t i) {
      return i % spec_.state_size() / static_cast<std::size_t>(spec_.units);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto kept = carried();
      if (std::find(kept.begin(), kept.end(), row_of(i)) == kept.end()) all[i] = 0;
    }
    return all;
  }

  // Makes every read of padding show.
  void hide_padding() {
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < probe_every_.size(); ++i) {
      if (counts(i)) continue;
      probe_every_[i] = nan;
      const auto row = i / static_cast<std::size_t>(spec_.units);
      if (spec_.symbols) {
        symbols_[row] = std::numeric_limits<std::int32_t>::max();
        continue;
      }
      const auto width = static_cast<std::size_t>(spec_.inputs);
      std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(row * width), width, nan);
    }
  }

  void forward(const double* initial, double* every, double* last, double* final) {
    weights_->load(cases::Numbers<double>(*backend_, parameters).data());
    feed_->load({x.data(), rows(), symbols_.data()}, spec_.inputs, {}, 0);
    pass_->forward(*weights_, {.in = feed_->in(),
                               .initial_state = initial,
                               .h_every = every,
                               .h_last = last,
                               .final_state = final,
                               .keep = Memory::kFull});
  }

  Case case_;
  RecurrentSpec spec_;
  std::unique_ptr<Backend<double>> backend_;
  std::unique_ptr<LayerWeights<double>> weights_;
  std::unique_ptr<RecurrentPass<double>> pass_;
  std::unique_ptr<Feed<double>> feed_;
  Values probe_every_, probe_last_, probe_final_;
  std::vector<std::int32_t> symbols_;
};

void expect_derivative(double gradient, Problem& problem, double& at, const char* what,
                       std::size_t index) {
  const double expected = derivative([&] { return problem.value(); }, at);
  EXPECT_NEAR(gradient - kBefore, expected, kTolerance * std::max(1.0, std::abs(expected)))
      << what << " " << index;
}

void check(const Case& c) {
  SCOPED_TRACE(c);
  Problem problem(c);
  Values dparameters(problem.parameters.size(), kBefore);
  Values dx(problem.x.size(), kBefore);
  Values dstate(static_cast<std::size_t>(c.shape.B) * c.spec().carried_size(), kBefore);
  problem.gradient(dparameters, dx, dstate);
  for (std::size_t i = 0; i < dparameters.size(); ++i) {
    expect_derivative(dparameters[i], problem, problem.parameters[i], "parameter", i);
  }
  for (std::size_t i = 0; i < dx.size(); ++i) {
    expect_derivative(dx[i], problem, problem.x[i], "x", i);
  }
  if (!c.with_state) return;
  for (std::size_t i = 0; i < dstate.size(); ++i) {
    expect_derivative(dstate[i], problem, problem.state[problem.place_in_state(i)], "initial state",
                      i);
  }
}

const Shape kShapes[] = {{1, 1, 1, 1, {}},     {1, 1, 1, 1, {0}}, {5, 2, 3, 7, {5, 1}},
                         {5, 2, 3, 7, {0, 4}}, {9, 3, 2, 5, {}},  {9, 3, 2, 5, {1, 9, 0}}};

class RecurrentGradient : public ::testing::TestWithParam<Cell> {};

TEST_P(RecurrentGradient, ByCentralDifferences) {
  const Cell cell = GetParam();
  for (const Activation activation : {Activation::kTanh, Activation::kIdentity}) {
    for (const Shape& shape : kShapes) {
      for (const Probe probe : {Probe::kLast, Probe::kEvery, Probe::kBoth, Probe::kFinalState}) {
        check({cell, activation, shape, probe, false});
        check({cell, activation, shape, probe, true});
      }
      for (const Form form : {Form::kSymbols, Form::kReverse, Form::kReverseSymbolsApart}) {
        check({cell, activation, shape, Probe::kBoth, false, form});
        check({cell, activation, shape, Probe::kFinalState, false, form});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentGradient,
                         ::testing::ValuesIn(all_cells().begin(), all_cells().end()),
                         [](const auto& tested) {
                           std::string name(to_string(tested.param));
                           std::ranges::replace(name, '-', '_');  // GoogleTest allows no hyphens
                           return name;
                         });

}  // namespace
}  // namespace rwa
