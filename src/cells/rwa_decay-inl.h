// src/cells/rwa_decay-inl.h: the cell of rwa_forget-inl.h whose gate sees neither x nor h: each
// unit has a constant, its half-life, instead of a forget gate.
template <class F>
struct RwaDecay : ForgettingRwa<F, false> {
  static constexpr const char* kName = "rwa-decay";
  static constexpr const char* kTitle = "rwa-decay";
  static constexpr const char* kDescription = "RWA with a half-life per unit";
};

RWA_LIST_CELL(RwaDecay);
