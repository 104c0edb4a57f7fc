// src/backend/adam-inl.h: one parameter's step of Adam (Kingma & Ba 2015), in the type of the
// backend that includes it. What does not depend on the parameter is computed once per step, in
// double. The backend brings RWA_INLINE, what stands before a function.
template <class Real>
struct AdamStep {
  Real keep_mean, add_mean, keep_variance, add_variance, rate, root_scale, epsilon, gradient_scale;

  // The step that the report has counted, of a gradient as long as it says.
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
