// src/cells/common-inl.h: what the cells share. Like every file of this folder it is text that a
// backend includes inside its own namespace, once per instruction set: V is double in the
// reference, a vector on the CPU, float in a CUDA thread. The backend brings, for its V: + - * /
// and comparisons, V(number), tanh, exp, log1p, abs, and select(mask, yes, no); and RWA_CELL, what
// stands before a function.

// What a cell has unless it says otherwise.
struct UsualCell {
  static constexpr int kShare = -1;             // it keeps no average
  static constexpr bool kLearnedStart = false;  // h_0 = 0
  static constexpr int kSpreadBias = -1;        // no bias starts with time scales
  static constexpr bool kCarriesOutput = false;
  static constexpr bool kTuned = false;           // `rwa tune` does not try it
  static constexpr const char* kTorch = nullptr;  // it is no class of torch.nn
  // Its PyTorch module is written from the formula: torch_module.py.in has no text for it.
  static constexpr const char* const* kTorchLayers = nullptr;
};

// What a cell must be for the drivers; a new one that needs more changes this and them.
template <class C>
constexpr bool check_cell() {
  static_assert(C::kGates >= 1 && C::kInputs >= 0 && C::kInputs <= 1);
  static_assert(C::kState >= 1 && C::kCarry >= 1);
  // A letter of the formula for each pre-activation, a name for each number of the state, and for
  // each that backward carries.
  static_assert(sizeof(C::kLetters) == C::kGates + C::kInputs + 1);
  static_assert(sizeof(C::kStateNames) == C::kState * sizeof(const char*));
  static_assert(sizeof(C::kCarryNames) == C::kCarry * sizeof(const char*));
  // A number per gate, and what backward needs of the step before: the first number of the state.
  // Gradients of pre-activations take their places.
  static_assert(C::kSaved == C::kGates + 1 && C::kMemory == C::kGates);
  // Which of the saved numbers is the step's share of a running average; -1: there is none.
  static_assert(C::kShare >= -1 && C::kShare < C::kSaved);
  // Where the state is the output itself, its gradient comes in the first number carried too.
  static_assert(!C::kCarriesOutput || C::kState == 1);
  return true;
}

// f, and its slope as a function of its value.
struct Tanh {
  template <class V>
  RWA_CELL static V apply(V x) {
    return tanh(x);
  }
  template <class V>
  RWA_CELL static V slope(V y) {
    return V(1) - y * y;
  }
};

struct Identity {
  template <class V>
  RWA_CELL static V apply(V x) {
    return x;
  }
  template <class V>
  RWA_CELL static V slope(V) {
    return V(1);
  }
};

// A number and the rounding error of its last sum: for averages over a million steps, whose
// increments would otherwise be rounded away.
template <class V>
struct Sum {
  V hi, lo;
};

// a + b exactly, as a rounded sum and its error (Knuth).
template <class V>
RWA_CELL Sum<V> two_sum(V a, V b) {
  const V sum = a + b;
  const V part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// What follows from e = exp(-|x|), which cannot overflow: sigmoid(-x) and log(sigmoid(x)).
template <class V>
struct Forgetting {
  V share, log_kept;
};
template <class V>
RWA_CELL Forgetting<V> forgetting(V x) {
  const V e = exp(-abs(x));
  return {select(x >= V(0), e, V(1)) / (V(1) + e), select(x >= V(0), V(0), x) - log1p(e)};
}

// sigmoid(x) by way of e = exp(-|x|), which cannot overflow.
template <class V>
RWA_CELL V sigmoid(V x) {
  const V e = exp(-abs(x));
  return select(x >= V(0), V(1), e) / (V(1) + e);
}
