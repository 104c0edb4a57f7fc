// src/cells/gru-inl.h: the gated recurrent unit, one unit, one step; gates in PyTorch's order, the
// reset gate applied after the recurrent product:
//   n = F(u + sigmoid(r) m)   h' = (1 - sigmoid(z)) n + sigmoid(z) h
template <class F>
struct Gru : UsualCell {
  static constexpr const char* kName = "gru";
  static constexpr const char* kTitle = "GRU";
  static constexpr const char* kDescription = "gated recurrent unit";

  using Activation = F;
  static constexpr int kGates = 3;   // r, z: see x and h; m: sees h only
  static constexpr int kInputs = 1;  // u: sees x only
  static constexpr int kState = 1;   // h
  static constexpr int kCarry = 1;   // the part of dh that bypasses the gates
  static constexpr int kSaved = 4;   // sigmoid(r), sigmoid(z), m, h'; backward: dr, dz, dm, du
  static constexpr int kMemory = 3;  // h
  static constexpr char kLetters[] = "rzmn";  // the u of the formula is a part of PyTorch's n
  static constexpr const char* kStateNames[] = {"h"};
  static constexpr const char* kCarryNames[] = {"h"};

  static constexpr bool kSeesX[] = {true, true, false, true};
  static constexpr bool kSeesH[] = {true, true, true, false};
  static constexpr bool kHasBias[] = {true, true, true, true};
  static constexpr bool kCarriesOutput = true;
  static constexpr float kInitialBias[] = {0, 0, 0, 0};
  static constexpr float kInitialState[] = {0};

  static constexpr bool kTuned = true;
  static constexpr const char* kTorch = "GRU";
  static constexpr const char* kTorchLayers[] = {"gates", "gates", "recurrent", "candidate"};

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    const V r = sigmoid(pre[0]);
    const V z = sigmoid(pre[1]);
    const V n = F::apply(pre[3] + r * pre[2]);
    const V h = n + z * (state[0] - n);
    state[0] = h;
    saved[0] = r;
    saved[1] = z;
    saved[2] = pre[2];
    saved[3] = h;
    return h;
  }

  // h, from what forward saved.
  template <class V>
  RWA_CELL static V output(const V* saved) {
    return saved[3];
  }

  template <class V>
  RWA_CELL static void backward(V dh, V, const V* inputs, V h_before, V* saved, V* carry) {
    const V r = saved[0];
    const V z = saved[1];
    const V m = saved[2];
    const V n = F::apply(inputs[0] + r * m);  // cheaper to recompute than to keep
    const V all = dh + carry[0];
    const V dn = all * (V(1) - z) * F::slope(n);
    saved[0] = dn * m * r * (V(1) - r);
    saved[1] = all * (h_before - n) * z * (V(1) - z);
    saved[2] = dn * r;
    saved[3] = dn;
    carry[0] = all * z;
  }
};

RWA_LIST_CELL(Gru);
