#include "backend/cuda/persistent.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/gates.h"
#include "backend/cuda/gradients.h"
#include "backend/cuda/recurrence.h"
#include "backend/cuda/split_gradients.h"
#include "rwa/errors.h"

namespace rwa::cuda {
namespace {

// Steps between two kept states with Memory::kChunked.
constexpr int kChunkSteps = 128;

// Null if the cell has no persistent kernels.
const PersistentKernels* kernels_of(const RecurrentSpec& spec) {
  switch (spec.cell) {
    case Cell::kRwa:
      return rwa_kernels(spec.activation);
    case Cell::kRwaForget:
    case Cell::kRwaDecay:  // the same formula with fewer weights
      return rwa_forget_kernels(spec.activation);
    case Cell::kLstm:
      return lstm_kernels(spec.activation);
    case Cell::kGru:
      return gru_kernels(spec.activation);
  }
  return nullptr;
}

bool fits(const Context& context, const RecurrentSpec& spec, Product product) {
  const PersistentKernels* kernels = kernels_of(spec);
  if (kernels == nullptr || context.capability != kHopper || spec.units > kMostUnits) return false;
  const std::vector<Shape> shapes = kernels->shapes(PackedSizes(spec, product));
  return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
    return kernels->clusters(context, shape, Features(spec)) > 0;
  });
}

class PersistentPass final : public RecurrentPass<float> {
 public:
  PersistentPass(const RecurrentSpec& spec, const Context& context, int beside)
      : spec_(spec),
        features_(spec),
        context_(context),
        sharing_(context.share * beside),
        kernels_(*kernels_of(spec)),
        product_(persistent_product(context, spec).value()),
        padded_(static_cast<std::size_t>(PackedSizes(spec, product_).padded_units)) {}

  void forward(const LayerWeights<float>& weights, const RecurrentForward<float>& call) override {
    context_.make_current();
    const PlacedRows& rows = *call.in.rows.placed;
    const Packed packed = static_cast<const Weights&>(weights).packed();
    place(call.in, call.keep);
    if (has_product()) {
      multiply_inputs(context_, PackedSizes(spec_, product_), packed, call.in.rows, call.in.x,
                      x_part_.as<float>());
    }
    const ForwardArguments whole{
        .in = batch(call.in, packed),
        .weights = packed,
        .initial_state = call.initial_state,
        .final_state = call.final_state,
        .h_every = call.h_every,
        .h_last = call.h_last,
        .h_high = call.keep && is_split() ? high_.as<__half>() : nullptr,
        .h_low = call.keep && is_split() ? low_.as<__half>() : nullptr,
        .h_before = call.keep && !is_split() ? before_.as<float>() : nullptr,
    };
    if (call.keep != Memory::kChunked) {
      ForwardArguments all = whole;
      all.saved = call.keep ? saved_.as<float>() : nullptr;
      kernels_.forward(context_, shape_, all);
      return;
    }
    for (int begin = 0; begin < rows.capacity; begin += kChunkSteps) {
      const bool last = begin + kChunkSteps >= rows.capacity;
      kernels_.forward(
          context_, shape_,
          chunk_forward(whole, begin, last ? whole.final_state : state(begin + kChunkSteps)));
    }
  }

  void backward(const LayerWeights<float>& weights, const RecurrentBackward<float>& call) override {
    context_.make_current();
    const PlacedRows& rows = *call.in.rows.placed;
    const auto& w = static_cast<const Weights&>(weights);
    if (needs_input_deltas(call)) {
      delta_input_.reserve(static_cast<std::size_t>(rows.tape_rows()) * padded_ * sizeof(float));
    }
    const auto last = call.last(spec_);
    BackwardArguments all{
        .in = batch(call.in, w.packed()),
        .weights = w.packed(),
        .initial_state = call.initial_state,
        .saved = saved_.as<float>(),
        .dh_every = call.dh_every,
        .dh_last = last.dh,
        .last_stride = static_cast<int>(last.stride),
        .last_has_carry = call.dfinal_state != nullptr,
        .earlier = neighbour_.as<float>(),
        .delta = delta_.as<float>(),
        .delta_max = is_split() ? delta_max_.as<float>() : nullptr,
        .delta_input = needs_input_deltas(call) ? delta_input_.as<float>() : nullptr,
        .x_sums = x_sums_.as<float>(),
    };
    if (kept_ == Memory::kFull) {
      kernels_.backward(context_, shape_, all);
    } else {
      backward_in_chunks(w, call, all);
    }
    add_gradients(w, call, rows);
  }

 private:
  [[nodiscard]] bool is_split() const { return product_ == Product::kSplit; }
  // Whether x has many features, which are multiplied for all steps at once.
  [[nodiscard]] bool has_product() const { return features_.in_table() && !spec_.symbols; }
  [[nodiscard]] bool needs_input_deltas(const RecurrentBackward<float>& call) const {
    return spec_.traits().inputs > 0 && (!features_.is_summed() || call.x != nullptr);
  }

  // Picks the smallest slices that all run at once, or else the largest. So the whole batch
  // advances together, on as many multiprocessors as this backend may use.
  void choose_shape(int batch) {
    if (batch == batch_) return;
    for (Shape shape : kernels_.shapes(PackedSizes(spec_, product_))) {
      const int clusters = kernels_.clusters(context_, shape, features_);
      if (clusters == 0) continue;
      // Every octet of slots is covered as a whole.
      const int slots = (batch + kOctet - 1) / kOctet * kOctet;
      shape.slices = (slots + shape.rows - 1) / shape.rows;
      shape_ = shape;
      if (clusters / sharing_ >= shape.slices) break;
    }
    batch_ = batch;
  }

  // Reserves memory for any batch of this capacity.
  void place(const Sequences<float>& in, std::optional<Memory> keep) {
    const PlacedRows& rows = *in.rows.placed;
    choose_shape(in.rows.batch);
    kept_ = keep;
    const auto preactivations = static_cast<std::size_t>(device_preactivations(spec_));
    // For all steps, even with Memory::kChunked.
    if (has_product()) {
      x_part_.reserve(static_cast<std::size_t>(in.rows.steps) *
                      static_cast<std::size_t>(in.rows.batch) * preactivations * padded_ *
                      sizeof(float));
    }
    if (!keep) return;
    const auto slots = static_cast<std::size_t>(rows.slots);
    const auto tape = static_cast<std::size_t>(rows.tape_rows());
    const auto gates = static_cast<std::size_t>(device_gates(spec_));
    const std::size_t tape_floats = tape * padded_ * sizeof(float);
    const std::size_t saved_rows =
        *keep == Memory::kFull ? tape : std::min(tape, kChunkSteps * slots);
    saved_.reserve(saved_rows * padded_ * static_cast<std::size_t>(kernels_.saved()) *
                   sizeof(float));
    if (is_split()) {
      high_.reserve(tape_floats / 2);
      low_.reserve(tape_floats / 2);
      delta_max_.reserve(tape * padded_ / kUnitGroup * sizeof(float));
    } else {
      before_.reserve(tape_floats);
    }
    delta_.reserve(tape_floats * gates);
    neighbour_.reserve(slots * padded_ * static_cast<std::size_t>(1 + spec_.traits().carry) *
                       sizeof(float));
    if (features_.is_summed()) {
      x_sums_.reserve(slots * padded_ * preactivations *
                      static_cast<std::size_t>(spec_.inputs + 1) * sizeof(float));
    }
    if (*keep == Memory::kChunked) {
      states_.reserve(static_cast<std::size_t>(rows.capacity / kChunkSteps + 1) * state_floats(in) *
                      sizeof(float));
    }
  }
  [[nodiscard]] std::size_t state_floats(const Sequences<float>& in) const {
    return static_cast<std::size_t>(in.rows.batch) * spec_.state_size();
  }

  [[nodiscard]] KernelBatch batch(const Sequences<float>& in, const Packed& weights) const {
    return {.rows = *in.rows.placed,
            .features = features_,
            .x = spec_.symbols ? static_cast<const void*>(in.symbols) : in.x,
            .x_part = spec_.symbols ? weights.weight_x : x_part_.as<float>(),
            .batch = in.rows.batch,
            .units = spec_.units,
            .h_stride = spec_.h_stride(),
            .reverse = spec_.reverse,
            .begin = 0,
            .end = in.rows.placed->capacity,
            .chunk = chunk_steps(shape_, features_)};
  }

  // The state before step `begin`, a multiple of kChunkSteps.
  [[nodiscard]] float* state(int begin) const {
    return states_.as<float>() + static_cast<std::size_t>(begin / kChunkSteps) *
                                     static_cast<std::size_t>(batch_) * spec_.state_size();
  }

  // Arguments for the chunk of steps that starts at `begin`.
  [[nodiscard]] ForwardArguments chunk_forward(const ForwardArguments& whole, int begin,
                                               float* final_state) const {
    ForwardArguments chunk = whole;
    chunk.in.begin = begin;
    chunk.in.end = std::min(begin + kChunkSteps, whole.in.rows.capacity);
    chunk.in.saved_from_begin = true;
    chunk.initial_state = begin == 0 ? whole.initial_state : state(begin);
    chunk.final_state = final_state;
    return chunk;
  }

  // From the last chunk to the first: reruns forward to fill `saved`, then runs backward.
  void backward_in_chunks(const Weights& weights, const RecurrentBackward<float>& call,
                          const BackwardArguments& all) {
    const ForwardArguments whole{.in = all.in,
                                 .weights = weights.packed(),
                                 .initial_state = call.initial_state,
                                 .saved = saved_.as<float>()};
    const int capacity = all.in.rows.capacity;
    const int last = (std::max(capacity, 1) - 1) / kChunkSteps * kChunkSteps;
    for (int begin = last; begin >= 0; begin -= kChunkSteps) {
      const ForwardArguments again = chunk_forward(whole, begin, nullptr);
      kernels_.forward(context_, shape_, again);
      BackwardArguments chunk = all;
      chunk.in = again.in;
      chunk.initial_state = again.initial_state;
      chunk.later = begin == last ? nullptr : neighbour_.as<float>();
      kernels_.backward(context_, shape_, chunk);
    }
  }

  // Turns what the kernel left into the layer's gradients.
  void add_gradients(const Weights& weights, const RecurrentBackward<float>& call,
                     const PlacedRows& rows) {
    const int padded = static_cast<int>(padded_);
    const Deltas deltas{.padded_units = padded,
                        .gates = delta_.as<float>(),
                        .inputs = needs_input_deltas(call) ? delta_input_.as<float>() : nullptr};
    if (is_split()) {
      add_split_gradients(context_, spec_, rows,
                          {.padded_units = padded,
                           .gates = device_gates(spec_),
                           .delta = delta_.as<float>(),
                           .delta_max = delta_max_.as<float>(),
                           .h_high = high_.as<__half>(),
                           .h_low = low_.as<__half>()},
                          scratch_, call.parameters);
    } else {
      add_recurrent_gradients(context_, spec_, rows, before_.as<float>(), deltas, scratch_,
                              call.parameters);
    }
    if (features_.is_summed()) {
      add_x_sums(context_, spec_, rows, x_sums_.as<float>(), padded, call.parameters);
    } else if (spec_.symbols) {
      add_symbol_gradients(context_, spec_, rows, call.in.symbols, deltas, scratch_,
                           call.parameters);
    } else {
      add_input_gradients(context_, spec_, rows, call.in.x, deltas, scratch_, call.parameters);
    }
    if (call.x != nullptr) {
      add_x_gradients(context_, spec_, rows, deltas, weights.parameters(), call.x);
    }
    if (call.initial != nullptr) {
      add_initial_gradients(context_, spec_, rows, neighbour_.as<float>(), padded, call.initial);
    }
    if (spec_.traits().learned_start && call.initial_state == nullptr) {
      add_start_gradients(context_, spec_, rows, neighbour_.as<float>(), padded,
                          weights.parameters(), call.parameters);
    }
  }

  RecurrentSpec spec_;
  Features features_;
  const Context& context_;
  int sharing_;  // passes that run concurrently on the device
  const PersistentKernels& kernels_;
  Product product_;
  std::size_t padded_;          // Hp
  int batch_ = -1;              // of the last forward
  Shape shape_;                 // for batch_
  std::optional<Memory> kept_;  // by the last forward
  DeviceMemory saved_, high_, low_, before_, delta_, delta_max_, delta_input_;  // the tape
  DeviceMemory states_, neighbour_, x_sums_, scratch_;
  DeviceMemory x_part_;  // see multiply_inputs()
};

}  // namespace

std::optional<Product> persistent_product(const Context& context, const RecurrentSpec& spec) {
  if (context.path == Path::kPlain) return std::nullopt;
  // fp16 halves can hold h only if the activation bounds it.
  const bool exact = context.path == Path::kExact || spec.activation != Activation::kTanh;
  const Product product = exact ? Product::kExact : Product::kSplit;
  if (fits(context, spec, product)) return product;
  if (context.path == Path::kAutomatic) return std::nullopt;
  throw ConfigError(fmt::format(
      "RWA_CUDA forces the persistent kernels, but {} does not fit them with units = {}, "
      "inputs = {}; use RWA_CUDA=plain",
      to_string(spec.cell), spec.units, spec.inputs));
}

std::unique_ptr<RecurrentPass<float>> make_persistent_pass(const RecurrentSpec& spec,
                                                           const Context& context, int beside) {
  return std::make_unique<PersistentPass>(spec, context, beside);
}

}  // namespace rwa::cuda
