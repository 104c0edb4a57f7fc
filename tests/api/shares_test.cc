// tests/api/shares_test.cc: the share of each step in the final average. By equation (2) of the
// paper this is the softmax of the attention over the steps; with a forget gate, the weight of each
// step is multiplied by all later gates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/rwa.h"
#include "support/batches.h"
#include "support/far_as_cuda.h"

namespace rwa {
namespace {

using cases::Data;
using cases::product;
using io::expect_error;
using Values = std::vector<double>;
using Steps = std::vector<Values>;  // [T][·]

// The cells whose formulas are written out below.
constexpr Cell kAverages[] = {Cell::kRwa, Cell::kRwaForget, Cell::kRwaDecay};

// One layer and direction in the notation of the paper. Rows are units; f is the forget gate.
struct PaperLayer {
  Values W_gx, W_ax, W_fx, W_u, W_gh, W_ah, W_fh, b_g, b_f, b_u, s_0;

  PaperLayer(const Model& model, const std::string& name, std::size_t inputs) {
    const ModelConfig& c = model.config();
    const auto H = static_cast<std::size_t>(c.units);
    const std::size_t forgets = c.cell == Cell::kRwa ? 0 : 1;
    const std::size_t sees = c.cell == Cell::kRwaForget ? 1 : 0;
    take(model, name + ".weight_x", {{&W_gx, 1}, {&W_ax, 1}, {&W_fx, sees}, {&W_u, 1}}, H * inputs);
    take(model, name + ".weight_h", {{&W_gh, 1}, {&W_ah, 1}, {&W_fh, sees}}, H * H);
    take(model, name + ".bias", {{&b_g, 1}, {&b_f, forgets}, {&b_u, 1}}, H);
    take(model, name + ".start", {{&s_0, 1}}, H);
  }

 private:
  struct Block {
    Values* to;
    std::size_t count;
  };
  static void take(const Model& model, const std::string& name, const std::vector<Block>& blocks,
                   std::size_t size) {
    for (const Parameter& p : model.parameters()) {
      if (p.name != name) continue;
      auto from = p.values.begin();
      for (const Block& block : blocks) {
        const auto end = from + static_cast<std::ptrdiff_t>(block.count * size);
        block.to->assign(from, end);
        from = end;
      }
      EXPECT_EQ(from, p.values.end());
    }
  }
};

// Returns 0 if the matrix is empty.
double row_times(const Values& matrix, std::size_t row, const Values& v) {
  double sum = 0;
  for (std::size_t k = 0; !matrix.empty() && k < v.size(); ++k) {
    sum += matrix[row * v.size() + k] * v[k];
  }
  return sum;
}

struct Outcome {
  Steps h, shares;
};

// Equation (2) with the sums written out: step i has weight e^(a_i) Π_{j > i} sigmoid(f_j).
Outcome by_definition(const PaperLayer& layer, const Steps& x) {
  const std::size_t H = layer.s_0.size();
  Outcome out{Steps(x.size(), Values(H)), Steps(x.size(), Values(H))};
  Values before(H);
  for (std::size_t j = 0; j < H; ++j) before[j] = std::tanh(layer.s_0[j]);
  Steps z(x.size(), Values(H)), weight(x.size(), Values(H));
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t j = 0; j < H; ++j) {
      const double u = row_times(layer.W_u, j, x[t]) + layer.b_u[j];
      const double g =
          row_times(layer.W_gx, j, x[t]) + row_times(layer.W_gh, j, before) + layer.b_g[j];
      const double a = row_times(layer.W_ax, j, x[t]) + row_times(layer.W_ah, j, before);
      double kept = 1;
      if (!layer.b_f.empty()) {
        const double f =
            row_times(layer.W_fx, j, x[t]) + row_times(layer.W_fh, j, before) + layer.b_f[j];
        kept = 1 / (1 + std::exp(-f));
      }
      z[t][j] = u * std::tanh(g);
      weight[t][j] = std::exp(a);
      double numerator = 0, denominator = 0;
      for (std::size_t i = 0; i <= t; ++i) {
        if (i < t) weight[i][j] *= kept;
        numerator += z[i][j] * weight[i][j];
        denominator += weight[i][j];
      }
      for (std::size_t i = 0; i <= t; ++i) out.shares[i][j] = weight[i][j] / denominator;
      out.h[t][j] = std::tanh(numerator / denominator);
    }
    before = out.h[t];
  }
  return out;
}

// All layers; the outputs of both directions are concatenated.
Steps by_definition(const Model& model, Steps x) {
  Steps shares;
  for (int l = 0; l < model.config().layers; ++l) {
    const std::string name = "layers." + std::to_string(l);
    Outcome out = by_definition(PaperLayer(model, name, x.front().size()), x);
    if (model.config().bidirectional) {
      Steps mirrored(x.rbegin(), x.rend());
      const Outcome reverse =
          by_definition(PaperLayer(model, name + ".reverse", x.front().size()), mirrored);
      for (std::size_t t = 0; t < x.size(); ++t) {
        const std::size_t r = x.size() - 1 - t;
        out.h[t].insert(out.h[t].end(), reverse.h[r].begin(), reverse.h[r].end());
        out.shares[t].insert(out.shares[t].end(), reverse.shares[r].begin(),
                             reverse.shares[r].end());
      }
    }
    x = std::move(out.h);
    shares = std::move(out.shares);
  }
  return shares;
}

// Returns one sequence of a batch, with symbols as one-hot rows.
Steps steps_of(const ModelConfig& c, const Data& data, int b) {
  Steps x;
  for (int t = 0; t < data.lengths[static_cast<std::size_t>(b)]; ++t) {
    const auto row = static_cast<std::size_t>(t * data.batch + b);
    const auto D = static_cast<std::size_t>(c.inputs);
    Values step(D);
    for (std::size_t d = 0; d < D; ++d) {
      step[d] = c.input == Input::kSymbols ? static_cast<std::size_t>(data.symbols[row]) == d
                                           : data.x[row * D + d];
    }
    x.push_back(step);
  }
  return x;
}

// Changes all weights, so that the attention does not stay near 0.
Model moved(const ModelConfig& config) {
  Model model(config);
  std::vector<float> weights = cases::copy(model.weights());
  cases::Draw draw(5);
  for (float& w : weights) w += draw.uniform(-0.5F, 0.5F);
  model.set_weights(weights);
  return model;
}

std::size_t width(const ModelConfig& c) {
  return static_cast<std::size_t>(c.units) * (c.bidirectional ? 2 : 1);
}

// Fills inputs that must not be read, and outputs that must be written, with NaN.
std::vector<float> shares_of(const Model& model, Data data, const SessionOptions& options = {}) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto D = static_cast<std::size_t>(model.config().inputs);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const std::size_t row = i / D, batch = static_cast<std::size_t>(data.batch);
    if (static_cast<std::int32_t>(row / batch) >= data.lengths[row % batch]) data.x[i] = kNan;
  }
  std::vector<float> shares(product(data.steps, data.batch) * width(model.config()), kNan);
  Session(model, options).shares(data.view(), shares);
  return shares;
}

void expect_definition(const ModelConfig& config) {
  SCOPED_TRACE(cases::name(config) + ", layers " + std::to_string(config.layers));
  const Model model = moved(config);
  Data data = cases::make_data(config, 25, 7, 2);
  data.lengths[0] = 0;
  data.lengths[1] = 1;
  data.lengths[2] = data.steps;
  const std::vector<float> shares = shares_of(model, data);
  const std::size_t W = width(config);
  for (int b = 0; b < data.batch; ++b) {
    const Steps x = steps_of(config, data, b);
    const Steps expected = x.empty() ? Steps() : by_definition(model, x);
    for (int t = 0; t < data.steps; ++t) {
      const auto at = static_cast<std::size_t>(t);
      for (std::size_t j = 0; j < W; ++j) {
        const double wanted = at < expected.size() ? expected[at][j] : 0;
        EXPECT_NEAR(shares[(product(t, data.batch) + static_cast<std::size_t>(b)) * W + j], wanted,
                    1e-5)
            << "sequence " << b << ", step " << t << ", unit " << j;
      }
    }
  }
}

TEST(Shares, AreThoseOfTheDefinition) {
  for (const Cell cell : kAverages) {
    for (const Input input : {Input::kNumbers, Input::kSymbols}) {
      for (const bool both : {false, true}) {
        for (const int layers : {1, 3}) {
          expect_definition({.input = input,
                             .inputs = 4,
                             .cell = cell,
                             .units = 9,
                             .layers = layers,
                             .bidirectional = both,
                             .readout = layers == 1 ? Readout::kLast : Readout::kEvery,
                             .outputs = 2});
        }
      }
    }
  }
}

TEST(Shares, AreThoseOfTheEncoderWhateverIsReadOut) {
  for (const Readout readout : {Readout::kMean, Readout::kAttention}) {
    expect_definition({.inputs = 2, .units = 5, .readout = readout, .outputs = 3});
    expect_definition({.inputs = 2, .units = 5, .readout = readout, .outputs = 3, .code = 2});
  }
}

TEST(Shares, AddUpToOne) {
  for (const Cell cell : kAverages) {
    for (const int steps : {1, 2, 33, 700}) {
      const ModelConfig config{.inputs = 3, .cell = cell, .units = 17, .outputs = 1};
      const Data data = cases::make_data(config, steps, 11, static_cast<unsigned>(steps));
      const std::vector<float> shares = shares_of(moved(config), data);
      for (std::size_t i = 0; i < 11 * 17; ++i) {
        double sum = 0;
        for (std::size_t t = 0; t < static_cast<std::size_t>(steps); ++t) {
          EXPECT_GE(shares[t * 11 * 17 + i], 0);
          sum += shares[t * 11 * 17 + i];
        }
        EXPECT_NEAR(sum, data.lengths[i / 17] > 0 ? 1 : 0, 1e-5) << to_string(cell) << steps;
      }
    }
  }
}

TEST(Shares, AreTheSameBitsForAnyNumberOfThreadsAndChangeNothing) {
  const ModelConfig config{
      .inputs = 3, .units = 33, .layers = 2, .bidirectional = true, .outputs = 5};
  const Model model = moved(config);
  const Data data = cases::make_data(config, 40, 37, 3);
  const std::vector<float> expected = shares_of(model, data);
  EXPECT_TRUE(cases::same_bits(shares_of(model, data, {.threads = 3}), expected));

  Session session(model);
  std::vector<float> shares(expected.size()), y(product(37, 5)), again(y);
  session.run(data.view(), y);
  session.shares(data.view(), shares);
  session.run(data.view(), again);
  EXPECT_TRUE(cases::same_bits(again, y));
  EXPECT_TRUE(cases::same_bits(shares, expected));
}

TEST(Shares, AreRefusedWhereThereIsNoAverage) {
  std::vector<float> shares(4);
  const std::vector<float> x(4);
  const auto refuse = [&](const ModelConfig& config, const SessionOptions& options,
                          std::string_view why) {
    Session session(Model(config), options);
    expect_error<ConfigError>([&] { session.shares({.x = x, .steps = 2, .batch = 2}, shares); },
                              {"shares are not available", why});
  };
  refuse({.cell = Cell::kLstm, .units = 1}, {}, "the cell lstm keeps no average");
  refuse({.cell = Cell::kGru, .units = 1}, {}, "the cell gru keeps no average");
  refuse({.units = 1, .layers = 0, .readout = Readout::kMean, .code = 1}, {}, "no layers");
  refuse({.units = 1}, {.device = "cuda"}, "only on the CPU");
  Session session(Model({.units = 3, .bidirectional = true}));
  expect_error<InputError>([&] { session.shares({.x = x, .steps = 2, .batch = 2}, shares); },
                           {"shares has 4 values, expected 24 for [T,B,2H]"});
}

}  // namespace
}  // namespace rwa
