// src/backend/loss-inl.h: the losses of one row of outputs, in the including backend's type. The
// backend defines RWA_INLINE, the specifiers of a function.
//   softmax         log Σ exp y_j - y_c                     dy = softmax(y) - onehot(c)
//   sigmoid         mean of log(1 + e^y) - y p              dy = (sigmoid(y) - p) / O
//   squared error   mean of (y - p)²                        dy = 2 (y - p) / O
//   pinball         mean of q (p - y)⁺ + (1 - q) (y - p)⁺   dy = ((y > p) - q) / O, 0 where y = p
// Softmax shifts by the maximum and sigmoid exponentiates -|y|, so that no output overflows.

// Σ exp(y_j - top), where top is the largest y_j; in the wider of the two types.
template <class Y, class Top>
RWA_INLINE double softmax_sum(int outputs, const Y* y, Top top) {
  double sum = 0;
  for (int j = 0; j < outputs; ++j) {
    sum += std::exp(y[j] - top);
  }
  return sum;
}

// Returns the loss; writes its gradient times `scale` to dy unless null.
template <class Real>
RWA_INLINE double softmax_row(int outputs, const Real* y, int target, double scale, Real* dy) {
  Real top = y[0];
  for (int j = 1; j < outputs; ++j) {
    if (top < y[j]) top = y[j];
  }
  const double sum = softmax_sum(outputs, y, top);
  if (dy != nullptr) {
    for (int j = 0; j < outputs; ++j) {
      const double share = std::exp(y[j] - top) / sum;
      dy[j] = static_cast<Real>(scale * (share - (j == target ? 1.0 : 0.0)));
    }
  }
  return std::log(sum) - static_cast<double>(y[target] - top);
}

template <class Real>
RWA_INLINE double sigmoid_row(int outputs, const Real* y, const Real* target, double scale,
                              Real* dy) {
  double sum = 0;
  for (int j = 0; j < outputs; ++j) {
    const double v = y[j];
    const double e = std::exp(-std::abs(v));
    sum += std::max(v, 0.0) - v * target[j] + std::log1p(e);
    if (dy != nullptr) {
      const double sigmoid = (v >= 0 ? 1.0 : e) / (1.0 + e);
      dy[j] = static_cast<Real>(scale * (sigmoid - target[j]) / outputs);
    }
  }
  return sum / outputs;
}

template <class Real>
RWA_INLINE double squared_error_row(int outputs, const Real* y, const Real* target, double scale,
                                    Real* dy) {
  double sum = 0;
  for (int j = 0; j < outputs; ++j) {
    const double error = static_cast<double>(y[j]) - target[j];
    sum += error * error;
    if (dy != nullptr) {
      dy[j] = static_cast<Real>(2.0 * scale * error / outputs);
    }
  }
  return sum / outputs;
}

// Every third output is a quantile q: the lower end of the interval, the median, the upper end.
template <class Real>
RWA_INLINE double pinball_row(double interval, int outputs, const Real* y, const Real* target,
                              double scale, Real* dy) {
  double sum = 0;
  for (int j = 0; j < outputs; ++j) {
    const double q = 0.5 + 0.5 * interval * (j % 3 - 1);
    const double error = static_cast<double>(y[j]) - target[j];
    sum += error > 0 ? (1 - q) * error : -q * error;
    if (dy != nullptr) {
      const double slope = error > 0 ? 1 - q : error < 0 ? -q : 0;
      dy[j] = static_cast<Real>(scale * slope / outputs);
    }
  }
  return sum / outputs;
}

// The loss of step t of sequence b, in row = t·B + b.
template <class Real>
RWA_INLINE double loss_row(const LossSpec& loss, int outputs, std::size_t row, const Real* y,
                           const Targets<Real>& targets, double scale, Real* dy) {
  const std::size_t at = row * static_cast<std::size_t>(outputs);
  Real* out = dy == nullptr ? nullptr : dy + at;
  switch (loss.kind) {
    case Loss::kSoftmax:
      return softmax_row(outputs, y + at, targets.classes[row], scale, out);
    case Loss::kSigmoid:
      return sigmoid_row(outputs, y + at, targets.values + at, scale, out);
    case Loss::kPinball:
      return pinball_row(loss.interval, outputs, y + at, targets.values + at, scale, out);
    case Loss::kSquaredError:
      break;
  }
  return squared_error_row(outputs, y + at, targets.values + at, scale, out);
}
