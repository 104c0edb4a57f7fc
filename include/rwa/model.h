// include/rwa/model.h: recurrent networks: configure, build, run, stream, save and load them.
// Shapes: T steps, B sequences, D features, H units, O outputs; row-major, last index fastest.
//
//   rwa::Model model({.inputs = 1, .units = 250, .outputs = 10});
//   rwa::Session session(model, {.threads = 2});
//   std::vector<float> y(batch.batch * 10);
//   session.run(batch, y);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rwa/export.h"
#include "rwa/types.h"

namespace rwa {

// The architecture of a network: an input, optionally convolutions, a stack of recurrent layers, a readout and a fully
// connected output layer. With a decoder, the readout becomes a code, and a second stack generates
// a sequence from it.
struct ModelConfig {
  // Input.
  Input input = Input::kNumbers;
  int inputs = 1;     // D: features, or symbols in the vocabulary
  int embedding = 0;  // width of a learned embedding of symbols; 0: one-hot

  // Stem: causal convolutions between the input and the recurrent layers, each followed by a
  // rectifier. Features or embedded symbols only.
  std::vector<int> stem = {};  // kernel sizes in steps, from first to last; empty: no stem
  int channels = 64;           // outputs of each convolution

  // Recurrent layers.
  Cell cell = Cell::kRwa;
  Activation activation = Activation::kTanh;
  int units = 250;             // H, per layer and direction
  int layers = 1;              // 0 only with a decoder, one input step and kMean, without a stem
  bool bidirectional = false;  // each layer runs in both directions; outputs are concatenated
  double dropout = 0;          // fraction of the outputs dropped between layers, in training only
  // Initial forget gates of rwa-forget and rwa-decay; other cells ignore these. Half-lives are
  // spread from one step to `span`, which should be about the length of the longest sequence. A
  // fraction `lasting` of the units never forgets.
  int span = 100;
  double lasting = 0.5;
  bool learned_decay = true;  // false: the half-lives of rwa-decay are not trained

  // Output.
  Readout readout = Readout::kLast;
  int outputs = 1;  // O
  Loss loss = Loss::kSoftmax;
  // For kPinball: the probability that a number lies in the interval predicted for it. Outputs come
  // in threes, the lower end, the median and the upper end for one number, which is the target of
  // all three.
  double interval = 0.8;
  // Width of the decoder's code; 0: no decoder. The readout is mapped to the code, from which a
  // stack of the same cell, units and layers (at least one, forward only) generates a sequence of
  // labels. Each step sees the label before it.
  int code = 0;

  std::uint64_t seed = 1;  // the same seed gives the same weights on any device

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// One named array of weights. The prefix of the name says where it belongs: embedding.weight,
// stem.0.weight, layers.0.weight_x, layers.0.reverse.weight_x, attention.weight, code.weight,
// decoder.embedding.weight, decoder.layers.0.weight_x, …, output.bias.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const float> values;  // valid until the model is trained or destroyed
};

// One part of a network, described for humans: a line of `rwa inspect`.
struct NetworkPart {
  std::string name;   // the prefix of its parameters: "layers.0", "output"
  std::string what;   // "rwa, tanh, 250 units, bidirectional"
  std::string shape;  // of its output: "[T,B,500]"
  std::size_t parameters = 0;
};

// Returns the parts of a network, from input to output, without building it. Throws ConfigError
// like Model's constructor.
RWA_EXPORT std::vector<NetworkPart> describe(const ModelConfig& config);

class RWA_EXPORT Model {
 public:
  // Initialises the weights as in the paper. Throws ConfigError for an invalid configuration: a
  // size that is not positive, or parts that cannot be combined.
  explicit Model(const ModelConfig& config);
  Model(Model&&) noexcept = default;
  Model& operator=(Model&&) noexcept = default;

  // Throws ModelFileError if the file is not a complete, valid model, ResourceError if it cannot be
  // read.
  static Model load(const std::filesystem::path& file);
  // Replaces the file atomically.
  void save(const std::filesystem::path& file) const;

  [[nodiscard]] const ModelConfig& config() const;
  [[nodiscard]] std::vector<Parameter> parameters() const;
  [[nodiscard]] std::size_t parameter_count() const;
  // Returns all weights in the order of parameters(). Gradients have the same layout.
  [[nodiscard]] std::span<const float> weights() const;
  // Must not be called while a session runs. Throws InputError if the size differs or a value is
  // not finite.
  void set_weights(std::span<const float> values);
  void set_parameter(const std::string& name, std::span<const float> values);

  // Strings by name, saved in the model file with the weights. The library does not interpret them.
  // The rwa program stores under "data" how data files are encoded for the model.
  [[nodiscard]] const std::map<std::string, std::string>& notes() const;
  // Sets a note, or removes it if the text is empty. Throws InputError if the name is empty or
  // reserved ("format", "format_version", "network", "sha256"), if name or text is not UTF-8, or if
  // the notes exceed the space in the file: about 1 MiB in total, less with many layers.
  void set_note(const std::string& name, std::string text);

  struct RWA_HIDDEN Impl;

 private:
  RWA_HIDDEN explicit Model(std::shared_ptr<Impl> impl);
  friend class Session;
  friend class Stream;
  friend class Trainer;
  std::shared_ptr<Impl> impl_;
};

struct SessionOptions {
  int threads = 1;                // more than 8 bring no speed-up; does not affect the result
  Memory memory = Memory::kFull;  // what gradient() stores between the forward and backward pass
  std::string device = "cpu";     // or "cuda", "cuda:1", …; see rwa/device.h
  // The number of sessions that run on the GPU at the same time; each takes its share of it. Does
  // not affect the result.
  int share = 1;
};

// The arrays that gradients are added to. After an exception their contents are unspecified.
struct GradientView {
  std::span<float> weights;  // [parameter_count()]
  std::span<float> x = {};   // [T,B,D]; must be empty if the input is symbols
  // Overwritten, not added to: the gradient with respect to each output of the encoder's last
  // recurrent layer, [T,B,H], through all paths to the loss. Steps past a sequence's length are
  // left unchanged. Only on the CPU, and only for unidirectional networks.
  std::span<float> h = {};
};

// Estimates the bytes of device memory that training with batches of this shape takes, not counting
// the batch: weights, optimiser state and what is stored between the forward and backward pass. The
// estimate is close on the CPU but not an upper bound; other devices differ more. A decoder is
// assumed to generate as many steps as come in. With truncation, pass the steps of one part. Throws
// ConfigError like Model's constructor, InputError for a negative size.
RWA_EXPORT std::size_t training_memory(const ModelConfig& config, int steps, int batch,
                                       Memory memory = Memory::kFull);

// Runs a model. A session owns the scratch memory of one caller: use one session per thread.
// Sessions share the weights of their model and keep it alive.
class RWA_EXPORT Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Writes the outputs before softmax or sigmoid: [B,O] or [T,B,O], depending on the readout. Rows
  // past a sequence's length are left unchanged. A decoder runs freely for as many steps as y,
  // [steps,B,O], has room for: each step sees the most likely label of the step before. Throws
  // InputError if shapes disagree.
  void run(const BatchView& batch, std::span<float> y);

  // Returns the mean loss over sequences, or over all of their steps. Unless y is empty, also
  // writes the outputs as run() does. Here and in training, a decoder sees the target labels
  // (teacher forcing).
  double loss(const BatchView& batch, const TargetView& targets, std::span<float> y = {});
  // Returns the same loss and adds its gradient to `out`.
  double gradient(const BatchView& batch, const TargetView& targets, const GradientView& out);

  // Writes the share that each step has in the final average of the encoder's last recurrent layer.
  // For each sequence and unit, shares are at least 0 and sum to 1 over the steps, with a forget
  // gate too: forgotten steps have smaller shares. Writes [T,B,H], or [T,B,2H] for bidirectional
  // networks, whose reverse direction ends at the first step; 0 past a sequence's length. Throws
  // ConfigError for a cell without an average. Only on the CPU.
  void shares(const BatchView& batch, std::span<float> shares);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Runs a model step by step on a sequence of unlimited length. Every step gives an output; the
// state can be saved and restored. Outputs are bit-identical to those of Session::run() on the CPU,
// for any batch. The constructor throws ConfigError for a network that needs the whole sequence:
// one that is bidirectional, averages over all steps, or has a decoder.
class RWA_EXPORT Stream {
 public:
  explicit Stream(const Model& model);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // Advances by one step: x is [D], y is [O].
  void step(std::span<const float> x, std::span<float> y);
  // The same for an input of symbols.
  void step(std::int32_t symbol, std::span<float> y);

  void reset();  // starts a new sequence
  [[nodiscard]] std::span<const float> state() const;
  void set_state(std::span<const float> state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa
