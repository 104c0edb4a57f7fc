// tests/cells/elman-inl.h: the simple recurrent network (Elman 1990), one unit, one step: a cell
// that is in no shipped binary. It shows how to add a cell: with this header and a line in the
// list.
//   h' = F(g)
template <class F>
struct Elman : UsualCell {
  static constexpr const char* kName = "elman";
  static constexpr const char* kTitle = "Elman";
  static constexpr const char* kDescription = "simple recurrent network";

  using Activation = F;
  static constexpr int kGates = 1;  // g: sees x and h
  static constexpr int kInputs = 0;
  static constexpr int kState = 1;   // h
  static constexpr int kCarry = 1;   // the gradient of the state after the last step, as part of dh
  static constexpr int kSaved = 2;   // h' twice; backward: dg, and h'
  static constexpr int kMemory = 1;  // h
  static constexpr char kLetters[] = "g";
  static constexpr const char* kStateNames[] = {"h"};
  static constexpr const char* kCarryNames[] = {"h"};

  static constexpr bool kSeesX[] = {true};
  static constexpr bool kSeesH[] = {true};
  static constexpr bool kHasBias[] = {true};
  static constexpr bool kCarriesOutput = true;
  static constexpr float kInitialBias[] = {0};
  static constexpr float kInitialState[] = {0};

  template <class V>
  RWA_CELL static V forward(const V* pre, V* state, V* saved) {
    const V h = F::apply(pre[0]);
    state[0] = h;
    saved[0] = h;
    saved[1] = h;
    return h;
  }

  // h, from what forward saved.
  template <class V>
  RWA_CELL static V output(const V* saved) {
    return saved[1];
  }

  template <class V>
  RWA_CELL static void backward(V dh, V h, const V*, V, V* saved, V* carry) {
    saved[0] = (dh + carry[0]) * F::slope(h);
    carry[0] = V(0);
  }
};

RWA_LIST_CELL(Elman);
