// src/cells/rwa_decay-inl.h: the cell of rwa_forget-inl.h with a gate that sees nothing: a constant
// of each unit, its half-life, instead of a forget gate.
template <class F>
struct RwaDecay : ForgettingRwa<F, false> {
  static constexpr const char* kName = "rwa-decay";
  static constexpr const char* kTitle = "rwa-decay";
  static constexpr const char* kDescription = "RWA with a half-life for each unit";
};

RWA_LIST_CELL(RwaDecay);
