// src/cells/rwa-inl.h: the recurrent weighted average, one unit, one step: the formula.
//   z = u tanh(g)   w = sigmoid(a - L)   L' = log(e^L + e^a)   r' = r + w (z - r)   h = f(r')
// r is the running average, L the logarithm of its denominator, w the share of this step: the
// paper's n/d without forming n or d, so that no value of a overflows. L starts at exactly
// -infinity, which makes the first share 1. Backward needs tanh g, w and r, but no L and no
// exponentials.
template <class F>
struct Rwa : UsualCell {
  static constexpr const char* kName = "rwa";
  static constexpr const char* kTitle = "RWA";
  static constexpr const char* kDescription = "recurrent weighted average (Ostmeyer & Cowell 2017)";

  using Activation = F;
  static constexpr int kGates = 2;   // g, a: see x and h
  static constexpr int kInputs = 1;  // u: sees x only
  static constexpr int kState = 4;   // r, its rounding error, L, its rounding error
  static constexpr int kCarry = 2;   // dr, dL: what backward passes to the previous step
  static constexpr int kSaved = 3;   // tanh g, w, r; backward: dg, da, du
  static constexpr int kMemory = 2;  // r, which backward needs from the previous step
  static constexpr int kShare = 1;   // w
  static constexpr char kLetters[] = "gau";
  static constexpr const char* kStateNames[] = {"r", "r_lo", "L", "L_lo"};
  static constexpr const char* kCarryNames[] = {"r", "L"};

  static constexpr bool kLearnedStart = true;  // h_0 = f(s_0)
  static constexpr bool kSeesX[] = {true, true, true};
  static constexpr bool kSeesH[] = {true, true, false};
  static constexpr bool kHasBias[] = {true, false, true};  // a bias on a would cancel
  static constexpr float kInitialBias[] = {0, 0, 0};
  static constexpr float kInitialState[] = {0, 0, -__builtin_inff(), 0};

  static constexpr bool kTuned = true;
  static constexpr const char* kTorchLayers[] = {"gate", "attention", "features"};

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    const V tanh_g = tanh(pre[0]);
    saved[0] = tanh_g;
    saved[1] = take_in(pre[2] * tanh_g, pre[1], Sum<V>{state[2], state[3]}, state);
    saved[2] = state[0];
    return F::apply(state[0]);
  }

  // h, from what forward saved.
  template <class V>
  RWA_CELL static V output(const V* saved) {
    return F::apply(saved[2]);
  }

  template <class V>
  RWA_CELL static void backward(V dh, V h, const V* inputs, V r_before, V* saved, V* carry) {
    const V dr = carry[0] + dh * F::slope(h);
    const auto d = take_in_backward(dr, inputs[0], saved[0], saved[1], r_before, carry);
    saved[0] = d.dg;
    saved[1] = d.da;
    saved[2] = d.du;
  }
};

RWA_LIST_CELL(Rwa);
