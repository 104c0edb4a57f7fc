// tests/backend/rwa_definition_test.cc: the running average is the network of the paper: it agrees
// with the defining equation (2), with the rescaled sums of Appendix B for logits of any size, and
// with golden values. With forgetting, it agrees with equation (2) with the weight of all earlier
// steps scaled down at every step.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "backend/device.h"
#include "support/cases.h"
#include "support/random_data.h"

namespace rwa {
namespace {

using Values = std::vector<double>;

// One layer in the paper's notation; rows are units.
struct PaperLayer {
  std::size_t D, H;
  Activation activation;
  Values s_0, W_u, b_u, W_gx, W_gh, b_g, W_ax, W_ah;
  Cell cell = Cell::kRwa;
  Values W_fx = {}, W_fh = {}, b_f = {};  // of a forget gate, if any

  [[nodiscard]] double f(double v) const {
    return activation == Activation::kTanh ? std::tanh(v) : v;
  }
  [[nodiscard]] RecurrentSpec spec() const {
    return {cell, activation, static_cast<int>(D), static_cast<int>(H)};
  }
  // In RecurrentSpec's layout, pre-activations in the order g, a, f, u.
  template <class Real>
  [[nodiscard]] std::vector<Real> parameters() const {
    std::vector<Real> all;
    for (const Values* part :
         {&W_gx, &W_ax, &W_fx, &W_u, &W_gh, &W_ah, &W_fh, &b_g, &b_f, &b_u, &s_0}) {
      std::transform(part->begin(), part->end(), std::back_inserter(all),
                     [](double v) { return static_cast<Real>(v); });
    }
    return all;
  }
};

PaperLayer random_layer(std::size_t D, std::size_t H, Activation activation, double logits,
                        RandomData& random) {
  // Gives u, g and a / logits a deviation of about 1 for any size.
  const double size = 1 / std::sqrt(static_cast<double>(D + H));
  const auto matrix = [&](std::size_t columns, double deviation) {
    return random.normal<double>(H * columns, deviation);
  };
  return {D,
          H,
          activation,
          matrix(1, 1),
          matrix(D, size),
          matrix(1, 0.5),
          matrix(D, size),
          matrix(H, size),
          matrix(1, 0.5),
          matrix(D, size * logits),
          matrix(H, size * logits)};
}

// With a forget gate that sees x and h like the others, or neither.
PaperLayer random_forgetting_layer(Cell cell, std::size_t D, std::size_t H, Activation activation,
                                   RandomData& random) {
  PaperLayer layer = random_layer(D, H, activation, 1, random);
  layer.cell = cell;
  layer.b_f = random.normal<double>(H, 2);
  if (cell != Cell::kRwaForget) return layer;
  layer.W_fx = random.normal<double>(H * D, 1 / std::sqrt(static_cast<double>(D + H)));
  layer.W_fh = random.normal<double>(H * H, 1 / std::sqrt(static_cast<double>(D + H)));
  return layer;
}

// 0 if the matrix is empty.
double row_times(const Values& matrix, std::size_t row, const Values& v) {
  double sum = 0;
  for (std::size_t k = 0; !matrix.empty() && k < v.size(); ++k) {
    sum += matrix[row * v.size() + k] * v[k];
  }
  return sum;
}

// z_i and a_i of one unit, and the factor that scales the weight of all earlier steps.
struct Term {
  double z, a, kept;
};

Term term(const PaperLayer& layer, std::size_t unit, const Values& x, const Values& h_before) {
  const double u = row_times(layer.W_u, unit, x) + layer.b_u[unit];
  const double g =
      row_times(layer.W_gx, unit, x) + row_times(layer.W_gh, unit, h_before) + layer.b_g[unit];
  const double a = row_times(layer.W_ax, unit, x) + row_times(layer.W_ah, unit, h_before);
  if (layer.b_f.empty()) return {u * std::tanh(g), a, 1};
  const double f =
      row_times(layer.W_fx, unit, x) + row_times(layer.W_fh, unit, h_before) + layer.b_f[unit];
  return {u * std::tanh(g), a, 1 / (1 + std::exp(-f))};
}

// h_0, h_1, …, h_T.
std::vector<Values> with_start(const PaperLayer& layer, std::size_t steps) {
  std::vector<Values> h(steps + 1, Values(layer.H));
  for (std::size_t j = 0; j < layer.H; ++j) h[0][j] = layer.f(layer.s_0[j]);
  return h;
}

// Equation (2): every step sums over all steps so far, and only h is carried. Step i weighs
//   e^(a_i) Π_{j > i} sigmoid(f_j)
std::vector<Values> by_definition(const PaperLayer& layer, const std::vector<Values>& x) {
  auto h = with_start(layer, x.size());
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t j = 0; j < layer.H; ++j) {
      double numerator = 0;
      double denominator = 0;
      double kept = 1;
      for (std::size_t i = t + 1; i-- > 0;) {
        const Term term_i = term(layer, j, x[i], h[i]);
        numerator += term_i.z * std::exp(term_i.a) * kept;
        denominator += std::exp(term_i.a) * kept;
        kept *= term_i.kept;
      }
      h[t + 1][j] = layer.f(numerator / denominator);
    }
  }
  return h;
}

// Appendix B: numerator and denominator, both divided by e^(largest a so far).
std::vector<Values> by_appendix_b(const PaperLayer& layer, const std::vector<Values>& x) {
  auto h = with_start(layer, x.size());
  Values n(layer.H, 0.0);
  Values d(layer.H, 0.0);
  Values a_max(layer.H, -1e38);
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t j = 0; j < layer.H; ++j) {
      const Term now = term(layer, j, x[t], h[t]);
      const double a_new_max = std::max(a_max[j], now.a);
      const double before = std::exp(a_max[j] - a_new_max);
      const double share = std::exp(now.a - a_new_max);
      n[j] = n[j] * before + now.z * share;
      d[j] = d[j] * before + share;
      a_max[j] = a_new_max;
      h[t + 1][j] = layer.f(n[j] / d[j]);
    }
  }
  return h;
}

// [T][B·H] outputs of a backend for inputs [sequence][T][D].
template <class Real>
std::vector<Real> by_backend(Backend<Real>& backend, const PaperLayer& layer,
                             const std::vector<std::vector<Values>>& x) {
  const Rows rows{static_cast<int>(x.front().size()), static_cast<int>(x.size()), {}};
  std::vector<Real> flat;
  for (std::size_t t = 0; t < x.front().size(); ++t) {
    for (const auto& sequence : x) {
      for (const double value : sequence[t]) flat.push_back(static_cast<Real>(value));
    }
  }
  const auto weights =
      cases::load_weights(backend, layer.spec(), layer.template parameters<Real>());
  const auto feed = cases::load_feed(backend, flat.data(), static_cast<int>(layer.D), rows);
  cases::Numbers<Real> h(backend, x.front().size() * x.size() * layer.H);
  backend.make_pass(layer.spec())->forward(*weights, {.in = feed->in(), .h_every = h.data()});
  return h.read();
}

struct Shape {
  std::size_t T, B, D, H;
};

std::vector<std::vector<Values>> random_inputs(const Shape& shape, RandomData& random) {
  std::vector<std::vector<Values>> x(shape.B);
  for (auto& sequence : x) {
    for (std::size_t t = 0; t < shape.T; ++t) sequence.push_back(random.normal<double>(shape.D));
  }
  return x;
}

// The largest difference between a backend's outputs and those of one of the two forms above.
template <class Real, class Form>
double largest_error(Backend<Real>& backend, const PaperLayer& layer,
                     const std::vector<std::vector<Values>>& x, Form&& form) {
  const auto ours = by_backend(backend, layer, x);
  double largest = 0;
  for (std::size_t b = 0; b < x.size(); ++b) {
    const auto expected = form(layer, x[b]);
    for (std::size_t t = 0; t < x[b].size(); ++t) {
      for (std::size_t j = 0; j < layer.H; ++j) {
        const double error = std::abs(static_cast<double>(ours[(t * x.size() + b) * layer.H + j]) -
                                      expected[t + 1][j]);
        if (error > largest || std::isnan(error)) largest = error;  // NaN stays: x > NaN is false
      }
    }
  }
  return largest;
}

constexpr Shape kShapes[] = {{1, 1, 1, 1}, {2, 3, 1, 5}, {17, 2, 3, 8}, {60, 5, 4, 11}};
constexpr Activation kActivations[] = {Activation::kTanh, Activation::kIdentity};

TEST(RwaDefinition, AgreesWithEquation2AtEveryStep) {
  RandomData random(11);
  const auto backend = make_reference_backend();
  for (const Activation activation : kActivations) {
    for (const Shape& shape : kShapes) {
      const auto layer = random_layer(shape.D, shape.H, activation, 1, random);
      const auto x = random_inputs(shape, random);
      EXPECT_LE(largest_error(*backend, layer, x, by_definition), 1e-13)
          << to_string(activation) << " T=" << shape.T;
    }
  }
}

TEST(RwaDefinition, AgreesWithAppendixBForLogitsOfAnySize) {
  RandomData random(12);
  const auto backend = make_reference_backend();
  for (const double logits : {1.0, 50.0, 1000.0}) {
    for (const Shape& shape : kShapes) {
      const auto layer = random_layer(shape.D, shape.H, Activation::kTanh, logits, random);
      const auto x = random_inputs(shape, random);
      EXPECT_LE(largest_error(*backend, layer, x, by_appendix_b), 1e-12)
          << "logits of deviation " << logits << ", T=" << shape.T;
    }
  }
}

TEST(RwaDefinition, ForgettingAgreesWithEquation2) {
  RandomData random(13);
  for (const Cell cell : {Cell::kRwaForget, Cell::kRwaDecay}) {
    for (const Activation activation : kActivations) {
      for (const Shape& shape : kShapes) {
        const auto layer = random_forgetting_layer(cell, shape.D, shape.H, activation, random);
        const auto x = random_inputs(shape, random);
        SCOPED_TRACE(::testing::Message()
                     << to_string(cell) << " " << to_string(activation) << " T=" << shape.T);
        EXPECT_LE(largest_error(*make_reference_backend(), layer, x, by_definition), 1e-12);
        EXPECT_LE(largest_error(*make_cpu_backend(1), layer, x, by_definition), 1e-5);
      }
    }
  }
}

TEST(RwaDefinition, AWideOpenForgetGateIsThePapersRwa) {
  RandomData random(14);
  for (const Cell cell : {Cell::kRwaForget, Cell::kRwaDecay}) {
    for (const Shape& shape : kShapes) {
      auto layer = random_forgetting_layer(cell, shape.D, shape.H, Activation::kTanh, random);
      std::fill(layer.b_f.begin(), layer.b_f.end(), 1000.0);
      const auto x = random_inputs(shape, random);
      PaperLayer papers = layer;
      papers.cell = Cell::kRwa;
      papers.W_fx = papers.W_fh = papers.b_f = {};
      EXPECT_EQ(by_backend(*make_reference_backend(), layer, x),
                by_backend(*make_reference_backend(), papers, x))
          << to_string(cell);
      EXPECT_EQ(by_backend(*make_cpu_backend(1), layer, x),
                by_backend(*make_cpu_backend(1), papers, x))
          << to_string(cell);
    }
  }
}

// With f = 0, each step weighs half as much as the next one. z is 1 at the first step and 0 at all
// others, and a is always 0: h is then the share of the first step.
TEST(RwaDefinition, AForgetGateOf0IsAHalfLifeOfOneStep) {
  const PaperLayer layer{.D = 1,
                         .H = 1,
                         .activation = Activation::kIdentity,
                         .s_0 = {0.0},
                         .W_u = {1.0},
                         .b_u = {0.0},
                         .W_gx = {0.0},
                         .W_gh = {0.0},
                         .b_g = {100.0},
                         .W_ax = {0.0},
                         .W_ah = {0.0},
                         .cell = Cell::kRwaDecay,
                         .b_f = {0.0}};
  std::vector<Values> x(30, Values{0.0});
  x[0][0] = 1;
  const auto h = by_backend(*make_reference_backend(), layer, {x});
  double weight = 1;  // of the first step
  double sum = 0;     // of all weights
  for (std::size_t t = 0; t < x.size(); ++t) {
    sum = sum / 2 + 1;
    EXPECT_NEAR(h[t], weight / sum, 1e-15) << t;
    weight /= 2;
  }
}

// The example of the design, which prints 15 digits.
PaperLayer golden_layer() {
  return {.D = 3,
          .H = 2,
          .activation = Activation::kTanh,
          .s_0 = {0.074941, -1.132446},
          .W_u = {.63997, -.21826, .88730, .25009, .11063, .72248},
          .b_u = {.051791, .479197},
          .W_gx = {.0099470, .8399450, -.2081483, .9820264, .3257544, .1064337},
          .W_gh = {.97504, .35937, -.37616, .69398},
          .b_g = {.090838, .496761},
          .W_ax = {.90352, .25258, .76472, .73948, .98564, .20552},
          .W_ah = {.26337, .28690, -.29784, -.79788}};
}

template <class Real>
void expect_golden(Backend<Real>& backend, double tolerance) {
  const auto h =
      by_backend(backend, golden_layer(),
                 {{{.29989, .36990, .50296}, {.37573, .29873, .22233}, {.45905, .14858, .78369}}});
  const double expected[] = {0.0492046389782342, 0.329647264460335, 0.121526463691003,
                             0.39991373726902,   0.208414995451506, 0.497820917070223};
  ASSERT_EQ(h.size(), std::size(expected));
  for (std::size_t i = 0; i < h.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(h[i]), expected[i], tolerance) << "number " << i;
  }
}

TEST(RwaDefinition, GoldenValuesInDouble) { expect_golden(*make_reference_backend(), 1e-14); }

TEST(RwaDefinition, GoldenValuesInFloat) { expect_golden(*make_cpu_backend(1), 1e-6); }

}  // namespace
}  // namespace rwa
