// src/cells/rwa_forget-inl.h: the recurrent weighted average that can let go, one unit, one step. A
// forget gate f makes all that came before lighter by sigmoid(f):
//   L' = L + log sigmoid(f)   w = sigmoid(a - L')   L'' = log(e^L' + e^a)   r' = r + w (z - r)
// with z and h as in rwa-inl.h. A large f is the paper's RWA. Where the gate sees nothing, it is a
// constant per unit: a half-life.
template <class F, bool kSees>
struct ForgettingRwa {
  using Activation = F;
  static constexpr int kGates = 3;   // g, a, f
  static constexpr int kInputs = 1;  // u: sees x only
  static constexpr int kState = 4;   // r, its rounding error, L, its rounding error
  static constexpr int kCarry = 2;   // dr, dL
  static constexpr int kSaved = 4;   // tanh g, w, sigmoid(-f), r; backward: dg, da, df, du
  static constexpr int kMemory = 3;  // r

  static constexpr bool kLearnedStart = true;  // h_0 = f(s_0)
  static constexpr bool kSeesX[] = {true, true, kSees, true};
  static constexpr bool kSeesH[] = {true, true, kSees, false};
  static constexpr bool kHasBias[] = {true, false, true, true};
  static constexpr int kSpreadBias = 2;  // f: from units that soon forget to those that never do
  static constexpr bool kCarriesOutput = false;
  static constexpr float kInitialBias[] = {0, 0, 0, 0};
  static constexpr float kInitialState[] = {0, 0, -__builtin_inff(), 0};

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    const V a = pre[1];
    const Forgetting<V> forget = forgetting(pre[2]);
    const V tanh_g = tanh(pre[0]);
    const V z = pre[3] * tanh_g;
    const Sum<V> r{state[0], state[1]};
    const Sum<V> L{state[2], state[3] + forget.log_kept};

    const V q = (a - L.hi) - L.lo;
    const V e = exp(-abs(q));
    const V w = select(q >= V(0), V(1), e) / (V(1) + e);
    const Sum<V> r_next = two_sum(r.hi, r.lo + w * ((z - r.hi) - r.lo));
    const Sum<V> L_next =
        two_sum(select(q > V(0), a, L.hi), select(q > V(0), V(0), L.lo) + log1p(e));

    state[0] = r_next.hi;
    state[1] = r_next.lo;
    state[2] = L_next.hi;
    state[3] = L_next.lo;
    saved[0] = tanh_g;
    saved[1] = w;
    saved[2] = forget.share;
    saved[3] = r_next.hi;
    return F::apply(r_next.hi);
  }

  // h, from what forward saved.
  template <class V>
  RWA_CELL static V output(const V* saved) {
    return F::apply(saved[3]);
  }

  template <class V>
  RWA_CELL static void backward(V dh, V h, const V* inputs, V r_before, V* saved, V* carry) {
    const V u = inputs[0];
    const V tanh_g = saved[0];
    const V w = saved[1];
    const V dr = carry[0] + dh * F::slope(h);
    const V dL = carry[1];

    const V dz = dr * w;
    const V s = dz * (V(1) - w) * (u * tanh_g - r_before);
    const V dL_before = dL * (V(1) - w) - s;
    saved[0] = dz * u * (V(1) - tanh_g * tanh_g);
    saved[1] = s + dL * w;
    saved[2] = dL_before * saved[2];
    saved[3] = dz * tanh_g;
    carry[0] = dr * (V(1) - w);
    carry[1] = dL_before;
  }
};

template <class F>
using RwaForget = ForgettingRwa<F, true>;
template <class F>
using RwaDecay = ForgettingRwa<F, false>;
