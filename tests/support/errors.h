// tests/support/errors.h: a layer's deviations from the reference: relative errors in norm, by
// name.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "support/cases.h"

namespace rwa::cases {

using Errors = std::map<std::string, double>;

inline double norm(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

inline Errors output_errors(const Result<float>& found, const Result<double>& exact) {
  return {{"h_every", relative_error(found.h_every, exact.h_every)},
          {"h_last", relative_error(found.h_last, exact.h_last)}};
}

// The error of each block of the gradient.
inline Errors gradient_errors(const RecurrentSpec& spec, const Result<float>& found,
                              const Result<double>& exact) {
  Errors errors = {{"x", relative_error(found.x, exact.x)},
                   {"initial", relative_error(found.initial, exact.initial)},
                   {"dh_total", relative_error(found.dh_total, exact.dh_total)}};
  const double whole = norm(exact.parameters);
  const auto block = [&](const std::string& name, std::size_t begin, std::size_t end) {
    const auto values = std::span(exact.parameters).subspan(begin, end - begin);
    const double error =
        relative_error(std::span(found.parameters).subspan(begin, end - begin), values);
    // A block of one or two values may cancel: measure it against at least a tenth of the whole.
    const double size = norm(values);
    errors[name] = error == 0 ? 0 : error * size / std::max(size, whole / 10);
  };
  block("weight_x", spec.weight_x(), spec.weight_h());
  block("weight_h", spec.weight_h(), spec.bias());
  block("bias", spec.bias(), spec.start());
  block("start", spec.start(), spec.parameters());
  return errors;
}

// The names and errors of those that exceed the bound.
inline std::string beyond(const Errors& errors, double bound) {
  std::string text;
  for (const auto& [name, error] : errors) {
    if (!(error <= bound)) text += name + " " + std::to_string(error / bound) + " × the bound\n";
  }
  return text;
}

}  // namespace rwa::cases
