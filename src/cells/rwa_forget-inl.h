// src/cells/rwa_forget-inl.h: the recurrent weighted average with forgetting, one unit, one step. A
// forget gate f scales the weight of all earlier steps by sigmoid(f):
//   L' = L + log sigmoid(f)   w = sigmoid(a - L')   L'' = log(e^L' + e^a)   r' = r + w (z - r)
// with z and h as in rwa-inl.h. A large f gives the paper's RWA. A gate that sees neither x nor h
// is a constant per unit: a half-life.
template <class F, bool kSees>
struct ForgettingRwa : UsualCell {
  using Activation = F;
  static constexpr int kGates = 3;   // g, a, f
  static constexpr int kInputs = 1;  // u: sees x only
  static constexpr int kState = 4;   // r, its rounding error, L, its rounding error
  static constexpr int kCarry = 2;   // dr, dL
  static constexpr int kSaved = 4;   // tanh g, w, sigmoid(-f), r; backward: dg, da, df, du
  static constexpr int kMemory = 3;  // r
  static constexpr int kShare = 1;   // w
  static constexpr char kLetters[] = "gafu";
  static constexpr const char* kStateNames[] = {"r", "r_lo", "L", "L_lo"};
  static constexpr const char* kCarryNames[] = {"r", "L"};

  static constexpr bool kLearnedStart = true;  // h_0 = f(s_0)
  static constexpr bool kSeesX[] = {true, true, kSees, true};
  static constexpr bool kSeesH[] = {true, true, kSees, false};
  static constexpr bool kHasBias[] = {true, false, true, true};
  static constexpr int kSpreadBias = 2;  // f: from units that forget soon to units that never do
  static constexpr float kInitialBias[] = {0, 0, 0, 0};
  static constexpr float kInitialState[] = {0, 0, -__builtin_inff(), 0};

  static constexpr const char* kTorchLayers[] = {"gate", "attention", "forget", "features"};

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    const Forgetting<V> forget = forgetting(pre[2]);
    const V tanh_g = tanh(pre[0]);
    saved[0] = tanh_g;
    saved[1] =
        take_in(pre[3] * tanh_g, pre[1], Sum<V>{state[2], state[3] + forget.log_kept}, state);
    saved[2] = forget.share;
    saved[3] = state[0];
    return F::apply(state[0]);
  }

  // h, from what forward saved.
  template <class V>
  RWA_CELL static V output(const V* saved) {
    return F::apply(saved[3]);
  }

  template <class V>
  RWA_CELL static void backward(V dh, V h, const V* inputs, V r_before, V* saved, V* carry) {
    const V dr = carry[0] + dh * F::slope(h);
    const auto d = take_in_backward(dr, inputs[0], saved[0], saved[1], r_before, carry);
    saved[0] = d.dg;
    saved[1] = d.da;
    saved[2] = carry[1] * saved[2];
    saved[3] = d.du;
  }
};

template <class F>
struct RwaForget : ForgettingRwa<F, true> {
  static constexpr const char* kName = "rwa-forget";
  static constexpr const char* kTitle = "rwa-forget";
  static constexpr const char* kDescription = "RWA with a forget gate";
  static constexpr bool kTuned = true;
};

RWA_LIST_CELL(RwaForget);
