// src/backend/dropout-inl.h: the dropout mask, the same on every device. The including backend
// defines RWA_INLINE, the specifiers of a function, and includes Random123/philox.h. A value's
// random bits are those of base/random.h:
//   Random(seed, Purpose::kDropout, layer).bits(step << 40 | place / 4)[place % 4]
// with place = row · width + column.
struct Dropout {
  std::uint64_t seed, step;
  std::uint32_t layer, limit;

  RWA_INLINE Dropout(double rate, const DropoutKey& key)
      : seed(key.seed),
        step(static_cast<std::uint64_t>(*key.step)),
        layer(key.layer),
        limit(static_cast<std::uint32_t>(rate * 0x1p32)) {}

  // The mask of places 4·group … 4·group + 3: bit i is set if the i-th of them is dropped.
  RWA_INLINE unsigned hidden(std::uint64_t group) const {
    const std::uint64_t index = step << 40 | group;
    const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(index),
                                                 static_cast<std::uint32_t>(index >> 32), layer,
                                                 static_cast<std::uint32_t>(Purpose::kDropout)}};
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
    const r123::Philox4x32::ctr_type bits = r123::Philox4x32{}(counter, key);
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; ++i) mask |= (bits[i] < limit ? 1U : 0U) << i;
    return mask;
  }
};
