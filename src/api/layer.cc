#include "rwa/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/model_impl.h"
#include "backend/array.h"
#include "backend/device.h"
#include "base/shards.h"

namespace rwa {
namespace {

// A backend that several layers of the process use in turn.
struct SharedBackend {
  std::unique_ptr<Backend<float>> backend;
  std::mutex turn;  // held by the layer that is using the backend
};

std::shared_ptr<SharedBackend> make_shared_backend(const SessionOptions& options) {
  auto made = std::make_shared<SharedBackend>();
  made->backend = checked_backend(options);
  return made;
}

// Returns the backend that all layers with this device and number of threads share. Layers on a
// single CPU thread each get their own, which starts no threads, so that they never wait for each
// other. Throws ConfigError for invalid options.
std::shared_ptr<SharedBackend> shared_backend(const SessionOptions& options) {
  const bool on_host = is_host(options.device);
  if (on_host && options.threads == 1) return make_shared_backend(options);
  using Key = std::pair<std::string, int>;
  const Key key = {options.device == "cuda" ? "cuda:0" : options.device,
                   on_host ? std::min(options.threads, kShards) : 0};
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<SharedBackend>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  auto shared = found == known.end() ? nullptr : found->second.lock();
  if (shared == nullptr) known[key] = shared = make_shared_backend(options);
  return shared;
}

void require(const void* pointer, std::string_view name) {
  if (pointer == nullptr) throw InputError(fmt::format("{} is null", name));
}

// A network of this layer alone: its constructor checks the configuration.
NetworkSpec network_of(const LayerConfig& c) {
  return NetworkSpec(ModelConfig{
      .inputs = c.inputs, .cell = c.cell, .activation = c.activation, .units = c.units});
}

RecurrentSpec spec_of(const NetworkSpec& network, bool reverse) {
  RecurrentSpec spec = network.encoder.stack.layers.front().directions.front();
  spec.reverse = reverse;
  return spec;
}

using Letters = std::vector<std::string_view>;

Letters with_term(std::string_view all, const Terms& term) {
  Letters found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (term.has(static_cast<int>(i))) found.push_back(all.substr(i, 1));
  }
  return found;
}

// h and the rest of the cell's state.
Letters with_h(const CellTraits& cell, std::span<const char* const> names) {
  Letters all = {"h"};
  if (!cell.state_is_output) all.insert(all.end(), names.begin(), names.end());
  return all;
}

LayerLayout layer_layout(const RecurrentSpec& spec) {
  const CellTraits& cell = spec.traits();
  return {.gates_x = with_term(cell.letters, cell.x),
          .gates_h = with_term(cell.letters, cell.h),
          .gates_bias = with_term(cell.letters, cell.bias),
          .gates_start = cell.learned_start ? Letters{"s"} : Letters{},
          .state = with_h(cell, cell.state_names),
          .carried = with_h(cell, cell.carry_names),
          .parameters = spec.parameters()};
}

// Parameters in the layout of the device.
struct Weights {
  std::unique_ptr<LayerWeights<float>> placed;
  std::vector<float> parameters = {};  // as given; empty if the host cannot read them
};

// The weights of a layer. On the host, tapes with equal parameters share one copy. Copies that no
// tape uses are recycled. The caller must hold the device's turn.
class WeightPool {
 public:
  WeightPool(const RecurrentSpec& spec, Backend<float>& backend, bool on_host)
      : spec_(spec), backend_(backend), on_host_(on_host) {}

  std::shared_ptr<const Weights> load(const float* parameters);

 private:
  static constexpr std::size_t kMost = 8;  // not counting those that only tapes hold

  [[nodiscard]] bool is_of(const Weights& weights, const float* parameters) const {
    return !weights.parameters.empty() &&
           std::memcmp(weights.parameters.data(), parameters,
                       weights.parameters.size() * sizeof(float)) == 0;
  }
  std::shared_ptr<Weights> take();

  const RecurrentSpec& spec_;
  Backend<float>& backend_;
  bool on_host_;
  std::vector<std::shared_ptr<Weights>> known_;  // most recently used last
};

std::shared_ptr<const Weights> WeightPool::load(const float* parameters) {
  const auto same =
      std::ranges::find_if(known_, [&](const auto& one) { return is_of(*one, parameters); });
  if (same != known_.end()) {
    std::rotate(same, same + 1, known_.end());
    return known_.back();
  }
  const std::shared_ptr<Weights> taken = take();
  taken->parameters.clear();  // stays empty if loading fails
  taken->placed->load(parameters);
  if (on_host_) taken->parameters.assign(parameters, parameters + spec_.parameters());
  known_.push_back(taken);
  if (known_.size() > kMost) known_.erase(known_.begin());
  return taken;
}

// Returns weights that no tape uses. The count cannot change meanwhile: the caller holds the turn.
std::shared_ptr<Weights> WeightPool::take() {
  const auto unused =
      std::ranges::find_if(known_, [](const auto& one) { return one.use_count() == 1; });
  if (unused == known_.end()) {
    return std::make_shared<Weights>(Weights{.placed = backend_.make_weights(spec_)});
  }
  auto taken = std::move(*unused);
  known_.erase(unused);
  return taken;
}

// The buffers of one forward pass and its backward pass.
class Workspace {
 public:
  Workspace(const RecurrentSpec& spec, Backend<float>& backend)
      : spec_(spec),
        backend_(backend),
        pass_(backend.make_pass(spec)),
        feed_(backend.make_feed()),
        state_(backend),
        initial_(backend),
        passed_on_(backend) {}

  void forward(const Weights& weights, const Rows& rows, const LayerInput& in,
               const LayerOutput& out, std::optional<Memory> keep);
  void backward(const Weights& weights, const LayerInput& in, const LayerGradient& gradient);

  [[nodiscard]] const Rows& rows() const { return rows_; }

 private:
  [[nodiscard]] bool is_doubled() const { return spec_.traits().state_is_output; }
  [[nodiscard]] std::size_t batch() const { return static_cast<std::size_t>(rows_.batch); }
  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(spec_.units); }

  void place(const Rows& rows);
  [[nodiscard]] Sequences<float> sequences(const float* x) const;
  const float* placed_state(const float* state);
  float* placed_initial(float* initial);
  void add_doubled(float* initial);
  void clear(float* numbers, std::size_t count) {
    if (numbers != nullptr) backend_.clear(numbers, count * sizeof(float));
  }

  RecurrentSpec spec_;
  Backend<float>& backend_;
  std::unique_ptr<RecurrentPass<float>> pass_;
  std::unique_ptr<Feed<float>> feed_;  // only for the lengths
  std::vector<std::int32_t> lengths_;
  Rows rows_;  // refers to lengths_; empty until place() succeeds
  // For cells whose state is h itself: callers pass it once, the backend stores it twice. [B,2,H],
  // [B,2,H] and [B,H].
  Array<float> state_, initial_, passed_on_;
};

// Does nothing if the shape and lengths are those of the previous batch, which is common.
void Workspace::place(const Rows& rows) {
  if (rows.steps == rows_.steps && rows.batch == rows_.batch &&
      std::ranges::equal(rows.lengths, lengths_)) {
    return;
  }
  rows_ = {};  // stays empty if loading fails
  lengths_.assign(rows.lengths.begin(), rows.lengths.end());
  const Rows kept{rows.steps, rows.batch, lengths_};
  feed_->load({nullptr, kept}, 0, {}, 0);
  rows_ = kept;
}

Sequences<float> Workspace::sequences(const float* x) const {
  Sequences<float> in = feed_->in();
  in.x = x;
  return in;
}

const float* Workspace::placed_state(const float* state) {
  if (!is_doubled() || state == nullptr) return state;
  state_.reserve(2 * batch() * units());
  for (const std::size_t half : {std::size_t{0}, units()}) {
    backend_.copy_rows(batch(), units(), state, units(), state_.data() + half, 2 * units());
  }
  return state_.data();
}

void Workspace::forward(const Weights& weights, const Rows& rows, const LayerInput& in,
                        const LayerOutput& out, std::optional<Memory> keep) {
  place(rows);
  const bool has_padding =
      std::ranges::any_of(lengths_, [&](std::int32_t length) { return length < rows.steps; });
  if (has_padding) clear(out.h, rows.index(rows.steps, 0) * units());
  pass_->forward(*weights.placed, {.in = sequences(in.x),
                                   .initial_state = placed_state(in.state),
                                   .h_every = out.h,
                                   .h_last = is_doubled() ? out.state : nullptr,
                                   .final_state = is_doubled() ? nullptr : out.state,
                                   .keep = keep});
}

void Workspace::backward(const Weights& weights, const LayerInput& in,
                         const LayerGradient& gradient) {
  clear(gradient.parameters, spec_.parameters());
  clear(gradient.x, rows_.index(rows_.steps, 0) * static_cast<std::size_t>(spec_.inputs));
  pass_->backward(*weights.placed,
                  {.in = sequences(in.x),
                   .initial_state = in.state == nullptr || !is_doubled() ? in.state : state_.data(),
                   .dh_every = gradient.h,
                   .dh_last = is_doubled() ? gradient.state : nullptr,
                   .parameters = gradient.parameters,
                   .x = gradient.x,
                   .initial = placed_initial(gradient.initial),
                   .dfinal_state = is_doubled() ? nullptr : gradient.state});
  if (is_doubled()) add_doubled(gradient.initial);
}

float* Workspace::placed_initial(float* initial) {
  if (initial == nullptr) return nullptr;
  if (is_doubled()) {
    initial_.reserve(batch() * spec_.carried_size());
    initial = initial_.data();
  }
  clear(initial, batch() * spec_.carried_size());
  return initial;
}

// Adds the gradients of h through the gates and past them.
void Workspace::add_doubled(float* initial) {
  if (initial == nullptr) return;
  const std::size_t count = batch() * units();
  passed_on_.reserve(count);
  backend_.copy_rows(batch(), units(), initial_.data(), 2 * units(), initial, units());
  backend_.copy_rows(batch(), units(), initial_.data() + units(), 2 * units(), passed_on_.data(),
                     units());
  backend_.add(count, passed_on_.data(), initial);
}

}  // namespace

struct Layer::Impl {
  // Workspaces kept for later forward passes. A training loop needs one per layer of this shape;
  // calling a layer step by step needs many more, but those are small.
  static constexpr std::size_t kMostIdle = 8;

  explicit Impl(const LayerConfig& c)
      : config(c),
        network(network_of(c)),
        spec(spec_of(network, c.reverse)),
        layout(layer_layout(spec)),
        device(shared_backend({.threads = c.threads, .memory = c.memory, .device = c.device})),
        weights(spec, *device->backend, is_host(c.device)) {
    idle.reserve(kMostIdle);  // so that give_back() cannot fail
  }

  [[nodiscard]] Rows checked_rows(const LayerInput& in) const {
    if (in.steps > 0) require(in.x, "x");
    const std::size_t numbers = static_cast<std::size_t>(std::max(in.steps, 0)) *
                                static_cast<std::size_t>(std::max(in.batch, 0)) *
                                static_cast<std::size_t>(config.inputs);
    return checked_sequences(
               network,
               {.x = {in.x, numbers}, .steps = in.steps, .batch = in.batch, .lengths = in.lengths})
        .rows;
  }

  // The caller must hold the device's turn.
  std::unique_ptr<Workspace> take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        auto last = std::move(idle.back());
        idle.pop_back();
        return last;
      }
    }
    return std::make_unique<Workspace>(spec, *device->backend);
  }
  void give_back(std::unique_ptr<Workspace> workspace) noexcept {
    const std::lock_guard lock(mutex);
    if (idle.size() < kMostIdle) idle.push_back(std::move(workspace));
  }

  LayerConfig config;
  NetworkSpec network;
  RecurrentSpec spec;
  LayerLayout layout;
  std::shared_ptr<SharedBackend> device;
  WeightPool weights;
  std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> idle;
};

// Borrowed workspace and weights. The layer's memory lives until the last borrower releases it.
struct Tape::Impl {
  explicit Impl(std::shared_ptr<Layer::Impl> from) : layer(std::move(from)) {}
  ~Impl() {
    if (workspace != nullptr) layer->give_back(std::move(workspace));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void forward(const LayerInput& in, const LayerOutput& out, std::optional<Memory> keep,
               void* stream) {
    require(in.parameters, "parameters");
    const Rows rows = layer->checked_rows(in);
    within_memory("the forward pass of a layer", [&] {
      const std::lock_guard turn(layer->device->turn);
      layer->device->backend->between(stream, [&] {
        weights = layer->weights.load(in.parameters);
        workspace = layer->take();
        workspace->forward(*weights, rows, in, out, keep);
      });
    });
    has_state = in.state != nullptr;
  }

  void check(const LayerInput& in, const LayerGradient& gradient) const {
    if (workspace == nullptr) {
      throw InputError("the tape has been used, expected a new one: call forward again");
    }
    const Rows& rows = workspace->rows();
    if (in.steps != rows.steps || in.batch != rows.batch) {
      throw InputError(
          fmt::format("steps x batch is {} x {}, expected {} x {} as in the forward pass", in.steps,
                      in.batch, rows.steps, rows.batch));
    }
    if ((in.state != nullptr) != has_state) {
      throw InputError(fmt::format("the state is {}, expected {} as in the forward pass",
                                   has_state ? "null" : "not null", has_state ? "one" : "null"));
    }
    if (in.steps > 0) require(in.x, "x");
    require(gradient.parameters, "the gradient of the parameters");
  }

  void backward(const LayerInput& in, const LayerGradient& gradient, void* stream) {
    check(in, gradient);
    Impl used(layer);  // consumes the tape even if backward throws
    used.workspace = std::move(workspace);
    used.weights = std::move(weights);
    within_memory("the backward pass of a layer", [&] {
      const std::lock_guard turn(layer->device->turn);
      layer->device->backend->between(
          stream, [&] { used.workspace->backward(*used.weights, in, gradient); });
    });
  }

  std::shared_ptr<Layer::Impl> layer;
  std::shared_ptr<const Weights> weights;
  std::unique_ptr<Workspace> workspace;
  bool has_state = false;
};

Tape::Tape(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tape::~Tape() = default;
Tape::Tape(Tape&&) noexcept = default;
Tape& Tape::operator=(Tape&&) noexcept = default;

void Tape::backward(const LayerInput& in, const LayerGradient& gradient, void* stream) {
  impl_->backward(in, gradient, stream);
}

Layer::Layer(const LayerConfig& config)
    : impl_(within_memory("a layer", [&] { return std::make_shared<Impl>(config); })) {}

const LayerConfig& Layer::config() const { return impl_->config; }
const LayerLayout& Layer::layout() const { return impl_->layout; }

void Layer::run(const LayerInput& in, const LayerOutput& out, void* stream) {
  Tape::Impl(impl_).forward(in, out, std::nullopt, stream);
}

Tape Layer::forward(const LayerInput& in, const LayerOutput& out, void* stream) {
  auto tape = std::make_unique<Tape::Impl>(impl_);
  tape->forward(in, out, impl_->config.memory, stream);
  return Tape(std::move(tape));
}

}  // namespace rwa
