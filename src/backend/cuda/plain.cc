#include "backend/cuda/recurrence.h"

#include <algorithm>
#include <optional>

#include "backend/cuda/gradients.h"
#include "backend/cuda/plain_kernels.h"

namespace rwa::cuda {
namespace plain {

Layer::Layer(const RecurrentSpec& spec, const float* parameters)
    : inputs(spec.inputs),
      units(spec.units),
      padded_units((spec.units + 31) / 32 * 32),
      gates(device_gates(spec)),
      stride(spec.h_stride()),
      parts(spec),
      weight_x(parameters + spec.weight_x()),
      weight_h(parameters + spec.weight_h()),
      bias(parameters + spec.bias()),
      start(parameters + spec.start()) {}

namespace {

// Sums over steps are formed chunk by chunk. So Memory::kChunked, which keeps one chunk's tape and
// the state at the start of each chunk, gives the same bits as kFull, which keeps all tapes. Per
// unit and sequence, the tape has 4 values a step for two gates and 6 for more; a state has 5
// values a chunk (LSTM, GRU: 2).
class PlainPass final : public RecurrentPass<float> {
 public:
  PlainPass(const RecurrentSpec& spec, const Context& context)
      : spec_(spec), context_(context), kernels_(make_kernels(spec)) {}

  void forward(const LayerWeights<float>& weights, const RecurrentForward<float>& call) override {
    context_.make_current();
    const Job job = make_job(weights, call.in);
    kept_ = call.keep;
    reserve_tape(job);
    kernels_->start(context_, job.rows(), job.layer, call.initial_state, state_.as<float>());
    for (int c = 0; c < job.chunks(); ++c) {
      if (kept_) copy(state_before(job, c), state_.as<float>(), state_size(job));
      run_chunk(job, kept_ == Memory::kFull ? tape_of(job, c) : no_tape(c), call.h_every);
    }
    kernels_->finish(context_, job.rows(), job.layer, state_.as<float>(), call.h_last,
                     call.final_state);
  }

  void backward(const LayerWeights<float>& weights, const RecurrentBackward<float>& call) override {
    context_.make_current();
    const Job job = make_job(weights, call.in);
    reserve_backward(job);
    place_chunks(context_, job.rows(), placed_.as<std::int32_t>());
    turn_weights(context_, job.layer, turned_.as<float>());
    kernels_->start_backward(context_, job.rows(), job.layer, call.dfinal_state,
                             carry_.as<float>());
    const auto last = call.last(spec_);
    BackwardStep step{.in = job.in,
                      .layer = job.layer,
                      .tape = {},
                      .weights = turned_.as<float>(),
                      .later_gates = later_gates_.as<float>(),
                      .state_before = nullptr,
                      .dh_every = call.dh_every,
                      .dh_last = last.dh,
                      .last_stride = last.stride,
                      .carry = carry_.as<float>(),
                      .t = -1};
    for (int c = job.chunks(); c-- > 0;) backward_chunk(job, call, c, step);
    step.t = -1;
    step.later_gates = later_gates_.as<float>();
    kernels_->backward_start(context_, step, dh_0_.as<float>(), call.initial);
    if (call.initial_state == nullptr) {
      add_start_gradients(context_, spec_, job.rows(), dh_0_.as<float>(), job.layer.padded_units,
                          job.parameters, call.parameters);
    }
  }

 private:
  struct Job {
    Batch in;
    Layer layer;
    const float* parameters;

    [[nodiscard]] const PlacedRows& rows() const { return in.rows; }
    [[nodiscard]] int chunks() const { return chunks_of(in.rows); }
    // The first step of the next chunk.
    [[nodiscard]] int chunk_end(int chunk) const {
      return std::min((chunk + 1) * kChunk, in.rows.capacity);
    }
    // Size of [slots][Hp].
    [[nodiscard]] std::size_t slot_units() const {
      return count(in.rows.slots) * count(layer.padded_units);
    }
  };

  static std::size_t count(int number) { return static_cast<std::size_t>(number); }

  [[nodiscard]] Job make_job(const LayerWeights<float>& weights, const Sequences<float>& in) const {
    const float* parameters = static_cast<const Weights&>(weights).parameters();
    return {.in = {.rows = *in.rows.placed,
                   .reverse = spec_.reverse,
                   .x = in.x,
                   .symbols = spec_.symbols ? in.symbols : nullptr},
            .layer = {spec_, parameters},
            .parameters = parameters};
  }

  [[nodiscard]] std::size_t state_size(const Job& job) const {
    return job.slot_units() * count(1 + spec_.traits().state);
  }
  [[nodiscard]] std::size_t gates_size(const Job& job) const {
    return job.slot_units() * count(job.layer.gates);
  }

  static void reserve(DeviceMemory& memory, std::size_t numbers) {
    memory.reserve(numbers * sizeof(float));
  }
  // Reserves the tape by kept_: none, one chunk, or all steps.
  void reserve_tape(const Job& job) {
    reserve(state_, state_size(job));
    const int capacity = job.rows().capacity;
    const int steps = kept_ == Memory::kFull ? capacity : std::min(kChunk, capacity);
    if (kept_) {
      reserve(states_before_, count(job.chunks()) * state_size(job));
      reserve(gates_, count(steps) * gates_size(job));
      reserve(last_, count(steps) * job.slot_units());
    }
    reserve(h_before_, count(std::max(2, kept_ ? steps : 0)) * job.slot_units());
  }
  void reserve_backward(const Job& job) {
    placed_.reserve(placed_chunks_size(job.rows()) * sizeof(std::int32_t));
    const auto width = count(job.layer.padded_units);
    reserve(turned_, width * width * count(job.layer.gates));
    reserve(carry_, job.slot_units() * count(spec_.traits().carry));
    reserve(later_gates_, gates_size(job));
    reserve(dh_0_, job.slot_units());
  }

  void copy(float* to, const float* from, std::size_t numbers) const {
    check(cudaMemcpyAsync(to, from, numbers * sizeof(float), cudaMemcpyDeviceToDevice,
                          context_.stream),
          "cudaMemcpyAsync");
  }

  [[nodiscard]] float* state_before(const Job& job, int chunk) const {
    return states_before_.as<float>() + count(chunk) * state_size(job);
  }
  [[nodiscard]] Tape no_tape(int chunk) const {
    return {.first = chunk * kChunk, .h_before = h_before_.as<float>()};
  }
  [[nodiscard]] Tape tape_of(const Job& job, int chunk) const {
    const std::size_t steps = kept_ == Memory::kFull ? count(chunk * kChunk) : 0;
    return {.first = chunk * kChunk,
            .gates = gates_.as<float>() + steps * gates_size(job),
            .last = last_.as<float>() + steps * job.slot_units(),
            .h_before = h_before_.as<float>() + steps * job.slot_units()};
  }

  // Runs a chunk from the current state.
  void run_chunk(const Job& job, const Tape& tape, float* h_every) const {
    kernels_->begin_chunk(context_, job.rows(), job.layer, tape, state_.as<float>());
    const int end = job.chunk_end(tape.first / kChunk);
    for (int t = tape.first; t < end; ++t) {
      kernels_->forward(context_, {.in = job.in,
                                   .layer = job.layer,
                                   .tape = tape,
                                   .state = state_.as<float>(),
                                   .h_every = h_every,
                                   .t = t,
                                   .is_last = t + 1 == end});
    }
  }

  // Reads the next chunk's gate gradients from later_gates_ and leaves its own there.
  void backward_chunk(const Job& job, const RecurrentBackward<float>& call, int chunk,
                      BackwardStep& step) {
    step.tape = tape_of(job, chunk);
    step.state_before = state_before(job, chunk);
    if (kept_ == Memory::kChunked) {
      copy(state_.as<float>(), step.state_before, state_size(job));
      run_chunk(job, step.tape, nullptr);
    }
    const int end = job.chunk_end(chunk);
    for (int t = end; t-- > step.tape.first;) {
      step.t = t;
      step.later_gates = t + 1 == end ? later_gates_.as<float>() : nullptr;
      kernels_->backward(context_, step);
    }
    copy(later_gates_.as<float>(), step.tape.gates, gates_size(job));
    add_gradients(job, call, chunk, step.tape);
  }

  void add_gradients(const Job& job, const RecurrentBackward<float>& call, int chunk,
                     const Tape& tape) {
    const PlacedRows rows = placed_chunk(job.rows(), placed_.as<std::int32_t>(), chunk);
    const Deltas deltas{job.layer.padded_units, tape.gates,
                        spec_.traits().inputs > 0 ? tape.last : nullptr};
    if (spec_.symbols) {
      add_symbol_gradients(context_, spec_, rows, job.in.symbols, deltas, scratch_,
                           call.parameters);
    } else {
      add_input_gradients(context_, spec_, rows, job.in.x, deltas, scratch_, call.parameters);
    }
    add_recurrent_gradients(context_, spec_, rows, tape.h_before, deltas, scratch_,
                            call.parameters);
    if (call.x != nullptr) {
      add_x_gradients(context_, spec_, rows, deltas, job.parameters, call.x);
    }
  }

  RecurrentSpec spec_;
  const Context& context_;
  std::unique_ptr<const Kernels> kernels_;
  std::optional<Memory> kept_;

  DeviceMemory state_;                    // [slots][1 + state][Hp]
  DeviceMemory states_before_;            // the same at the start of every chunk
  DeviceMemory gates_, last_, h_before_;  // see Tape
  DeviceMemory placed_;
  DeviceMemory turned_;
  DeviceMemory carry_;        // [slots][carry][Hp]
  DeviceMemory later_gates_;  // [slots][Hp][gates]: gradients at a chunk's first step
  DeviceMemory dh_0_;         // [slots][Hp]
  DeviceMemory scratch_;
};

}  // namespace
}  // namespace plain

std::unique_ptr<RecurrentPass<float>> make_plain_pass(const RecurrentSpec& spec,
                                                      const Context& context) {
  return std::make_unique<plain::PlainPass>(spec, context);
}

}  // namespace rwa::cuda
