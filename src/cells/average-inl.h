// src/cells/average-inl.h: one step of a weighted average, the core of the cells of rwa-inl.h and
// rwa_forget-inl.h. The state is r, its rounding error, L, its rounding error: r is the average, L
// the logarithm of its denominator. The step adds z = u tanh(g) with weight e^a:
//   w = sigmoid(a - L)   L' = log(e^L + e^a)   r' = r + w (z - r)

// Updates the state and returns w, the step's share. `L` is the state's, possibly changed by the
// cell.
template <class V>
RWA_CELL V take_in(V z, V a, const Sum<V>& L, V* state) {
  const Sum<V> r{state[0], state[1]};
  const V q = (a - L.hi) - L.lo;
  const V e = exp(-abs(q));
  const V w = quotient(select(q >= V(0), V(1), e), V(1) + e);
  const Sum<V> r_next = two_sum(r.hi, r.lo + w * ((z - r.hi) - r.lo));
  const Sum<V> L_next = two_sum(select(q > V(0), a, L.hi), select(q > V(0), V(0), L.lo) + log1p(e));
  state[0] = r_next.hi;
  state[1] = r_next.lo;
  state[2] = L_next.hi;
  state[3] = L_next.lo;
  return w;
}

template <class V>
struct AverageGradient {
  V dg, da, du;
};

// Takes dr, the total gradient of r', and dL' in carry[1]. Leaves dr and dL of the previous step in
// carry. Needs no exponentials.
template <class V>
RWA_CELL AverageGradient<V> take_in_backward(V dr, V u, V tanh_g, V w, V r_before, V* carry) {
  const V dL = carry[1];
  const V dz = dr * w;
  const V s = dz * (V(1) - w) * (u * tanh_g - r_before);
  carry[0] = dr * (V(1) - w);
  carry[1] = dL * (V(1) - w) - s;
  return {dz * u * (V(1) - tanh_g * tanh_g), s + dL * w, dz * tanh_g};
}
