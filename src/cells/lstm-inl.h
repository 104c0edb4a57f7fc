// src/cells/lstm-inl.h: the standard LSTM, one unit, one step; gates in PyTorch's order.
//   c' = sigmoid(f) c + sigmoid(i) tanh(g)     h = sigmoid(o) F(c')
template <class F>
struct Lstm : UsualCell {
  static constexpr const char* kName = "lstm";
  static constexpr const char* kTitle = "LSTM";
  static constexpr const char* kDescription = "long short-term memory with a forget gate";

  using Activation = F;
  static constexpr int kGates = 4;  // i, f, g, o: see x and h
  static constexpr int kInputs = 0;
  static constexpr int kState = 1;   // c
  static constexpr int kCarry = 1;   // dc
  static constexpr int kSaved = 5;   // the gates and c'; backward: di, df, dg, do
  static constexpr int kMemory = 4;  // c
  static constexpr char kLetters[] = "ifgo";
  static constexpr const char* kStateNames[] = {"c"};
  static constexpr const char* kCarryNames[] = {"c"};

  static constexpr bool kSeesX[] = {true, true, true, true};
  static constexpr bool kSeesH[] = {true, true, true, true};
  static constexpr bool kHasBias[] = {true, true, true, true};
  static constexpr float kInitialBias[] = {0, 1, 0, 0};
  static constexpr float kInitialState[] = {0};

  static constexpr bool kTuned = true;
  static constexpr const char* kTorch = "LSTM";
  static constexpr const char* kTorchLayers[] = {"gates", "gates", "gates", "gates"};

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    const V i = sigmoid(pre[0]);
    const V f = sigmoid(pre[1]);
    const V g = tanh(pre[2]);
    const V o = sigmoid(pre[3]);
    const V c = f * state[0] + i * g;
    state[0] = c;
    saved[0] = i;
    saved[1] = f;
    saved[2] = g;
    saved[3] = o;
    saved[4] = c;
    return o * F::apply(c);
  }

  // h, from what forward saved.
  template <class V>
  RWA_CELL static V output(const V* saved) {
    return saved[3] * F::apply(saved[4]);
  }

  template <class V>
  RWA_CELL static void backward(V dh, V, const V*, V c_before, V* saved, V* carry) {
    const V i = saved[0];
    const V f = saved[1];
    const V g = saved[2];
    const V o = saved[3];
    const V activated = F::apply(saved[4]);
    const V dc = carry[0] + dh * o * F::slope(activated);
    saved[0] = dc * g * i * (V(1) - i);
    saved[1] = dc * c_before * f * (V(1) - f);
    saved[2] = dc * i * (V(1) - g * g);
    saved[3] = dh * activated * o * (V(1) - o);
    carry[0] = dc * f;
  }
};

RWA_LIST_CELL(Lstm);
