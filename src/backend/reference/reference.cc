#include "backend/device.h"

#include <algorithm>
#include <vector>

#include "backend/host.h"
#include "backend/reference/recurrence.h"

namespace rwa {
namespace {

struct DenseWeights final : LayerWeights<double> {
  explicit DenseWeights(const DenseSpec& spec) : values(spec.parameters()) {}
  void load(const double* parameters) override {
    std::copy_n(parameters, values.size(), values.begin());
  }
  std::vector<double> values;
};

class ReferenceBackend final : public HostBackend<double> {
 public:
  [[nodiscard]] std::unique_ptr<LayerWeights<double>> make_weights(
      const RecurrentSpec& spec) const override {
    return reference::make_weights(spec);
  }
  [[nodiscard]] std::unique_ptr<RecurrentPass<double>> make_pass(const RecurrentSpec& spec,
                                                                 int) override {
    return reference::make_pass(spec);
  }

  [[nodiscard]] std::unique_ptr<LayerWeights<double>> make_weights(
      const DenseSpec& spec) const override {
    return std::make_unique<DenseWeights>(spec);
  }

  void dense_forward(const DenseSpec& spec, const LayerWeights<double>& weights, const Rows& rows,
                     const double* h, double* y) override {
    const auto& parameters = static_cast<const DenseWeights&>(weights).values;
    for_each_row(rows, [&](std::size_t row) {
      for (int o = 0; o < spec.outputs; ++o) {
        double sum = parameters[spec.bias() + static_cast<std::size_t>(o)];
        for (int k = 0; k < spec.inputs; ++k) {
          sum += parameters[weight(spec, o, k)] * h[at(row, spec.inputs, k)];
        }
        y[at(row, spec.outputs, o)] = sum;
      }
    });
  }

  void dense_backward(const DenseSpec& spec, const LayerWeights<double>& weights, const Rows& rows,
                      const double* h, const double* dy, double* dparameters, double* dh) override {
    const auto& parameters = static_cast<const DenseWeights&>(weights).values;
    for_each_row(rows, [&](std::size_t row) {
      for (int k = 0; k < spec.inputs; ++k) {
        double sum = 0;
        for (int o = 0; o < spec.outputs; ++o) {
          const double delta = dy[at(row, spec.outputs, o)];
          dparameters[weight(spec, o, k)] += delta * h[at(row, spec.inputs, k)];
          sum += delta * parameters[weight(spec, o, k)];
        }
        if (dh != nullptr) dh[at(row, spec.inputs, k)] = sum;
      }
      for (int o = 0; o < spec.outputs; ++o) {
        dparameters[spec.bias() + static_cast<std::size_t>(o)] += dy[at(row, spec.outputs, o)];
      }
    });
  }

  void loss(const LossSpec& loss, const Rows& rows, int outputs, const double* y,
            const Targets<double>& targets, double* mean, double* dy) override {
    const double scale = host::mean_scale(rows, targets.counted);
    double sum = 0;
    for_each_row(rows, [&](std::size_t row) {
      sum += host::loss_row(loss, outputs, row, y, targets, scale, dy);
    });
    *mean = sum * scale;
  }

  void lookup_backward(const TableSpec& spec, const Rows& rows, const Symbols& symbols,
                       const double* dout, double* dtable, double* dbase) override {
    const auto row_of = [&](std::size_t symbol) {
      return host::row_at(dtable, symbol, spec.width);
    };
    host::lookup_backward(spec.width, rows, {0, rows.batch}, symbols, dout, row_of, dbase);
  }

 private:
  static std::size_t at(std::size_t row, int width, int column) {
    return row * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
  }
  static std::size_t weight(const DenseSpec& spec, int output, int input) {
    return at(static_cast<std::size_t>(output), spec.inputs, input);
  }
  template <class F>
  static void for_each_row(const Rows& rows, F&& f) {
    for (int t = 0; t < rows.steps; ++t) {
      for (int b = 0; b < rows.batch; ++b) {
        if (rows.has(t, b)) f(rows.index(t, b));
      }
    }
  }
};
}  // namespace

std::unique_ptr<Backend<double>> make_reference_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace rwa
