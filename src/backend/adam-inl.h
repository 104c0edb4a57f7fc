// src/backend/adam-inl.h: the Adam update (Kingma & Ba 2015) of one parameter, in the including
// backend's type. Everything that is the same for all parameters is computed once per step, in
// double. The backend defines RWA_INLINE, the specifiers of a function.
template <class Real>
struct AdamStep {
  Real keep_mean, add_mean, keep_variance, add_variance, rate, root_scale, epsilon, gradient_scale;

  // Update number report.steps, with the gradient clipped to norm clip_norm (0: off).
  RWA_INLINE AdamStep(const AdamSettings& s, double clip_norm, const StepReport& report)
      : keep_mean(static_cast<Real>(s.beta1)),
        add_mean(static_cast<Real>(1 - s.beta1)),
        keep_variance(static_cast<Real>(s.beta2)),
        add_variance(static_cast<Real>(1 - s.beta2)),
        rate(
            static_cast<Real>(s.rate / (1 - std::pow(s.beta1, static_cast<double>(report.steps))))),
        root_scale(static_cast<Real>(
            1 / std::sqrt(1 - std::pow(s.beta2, static_cast<double>(report.steps))))),
        epsilon(static_cast<Real>(s.epsilon)),
        gradient_scale(static_cast<Real>(clip_norm > 0 && report.gradient_norm > clip_norm
                                             ? clip_norm / report.gradient_norm
                                             : 1.0)) {}

  RWA_INLINE void update(Real gradient, Real& parameter, Real& mean, Real& variance) const {
    const Real g = gradient * gradient_scale;
    mean = keep_mean * mean + add_mean * g;
    variance = keep_variance * variance + add_variance * g * g;
    parameter -= rate * mean / (std::sqrt(variance) * root_scale + epsilon);
  }
};
