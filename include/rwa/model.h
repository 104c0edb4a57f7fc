// include/rwa/model.h: a recurrent network: describe it, build it, run it, stream through it, save
// and load it. Shapes: T steps, B sequences, D features, H units, O outputs; row-major, last index
// fastest.
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

// A description: what comes in, a stack of recurrent layers, what is read out of it, and a fully
// connected output layer. With a decoder, what is read out becomes a code, from which a second
// stack says a sequence.
struct ModelConfig {
  // What comes in.
  Input input = Input::kNumbers;
  int inputs = 1;     // D: features, or symbols
  int embedding = 0;  // how many learned numbers stand for a symbol; 0: one-hot

  // The stack.
  Cell cell = Cell::kRwa;
  Activation activation = Activation::kTanh;
  int units = 250;             // H, of each layer and direction
  int layers = 1;              // 0 only with a decoder of one step of features, and kMean
  bool bidirectional = false;  // each layer reads both ways, and its outputs lie side by side
  double dropout = 0;          // the share of a layer's outputs that training hides from the next
  // Where forget gates start (rwa-forget, rwa-decay; of no use to others): half-lives are spread
  // from one step to `span`, about the longest sequence that will come; a share of `lasting` of the
  // units never forgets.
  int span = 100;
  double lasting = 0.5;
  bool learned_decay = true;  // else the half-lives of rwa-decay stay as they start

  // What goes out.
  Readout readout = Readout::kLast;
  int outputs = 1;  // O
  Loss loss = Loss::kSoftmax;
  // A decoder's code: what was read out becomes this many numbers, and a stack of the same cell,
  // units and layers (at least one, forward only) unrolls from it a sequence of labels, each step
  // seeing the label before. 0: no decoder.
  int code = 0;

  std::uint64_t seed = 1;  // same seed, same weights, for any device and number of threads

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// One named block of weights. The first letters say whose: embedding.weight, layers.0.weight_x,
// layers.0.reverse.weight_x, attention.weight, code.weight, decoder.embedding.weight,
// decoder.layers.0.weight_x, …, output.bias.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const float> values;  // valid while the model lives and is not trained
};

// A part of a network as it is told to people: a line of `rwa inspect`.
struct NetworkPart {
  std::string name;   // that of its parameters without their last word: "layers.0", "output"
  std::string what;   // "rwa, tanh, 250 units, both ways"
  std::string shape;  // of what comes out of it: "[T,B,500]"
  std::size_t parameters = 0;
};

// The parts of a network in the order in which a sequence passes through them, without building it.
// Throws ConfigError as Model does.
RWA_EXPORT std::vector<NetworkPart> describe(const ModelConfig& config);

class RWA_EXPORT Model {
 public:
  // With the initial weights of the paper. Throws ConfigError for what is no network: a size that
  // is not positive, parts that do not go together.
  explicit Model(const ModelConfig& config);
  Model(Model&&) noexcept = default;
  Model& operator=(Model&&) noexcept = default;

  // Throws ModelFileError when the file is not a whole and valid model, ResourceError when it
  // cannot be read.
  static Model load(const std::filesystem::path& file);
  // Replaces the file as a whole or not at all.
  void save(const std::filesystem::path& file) const;

  [[nodiscard]] const ModelConfig& config() const;
  [[nodiscard]] std::vector<Parameter> parameters() const;
  [[nodiscard]] std::size_t parameter_count() const;
  // All parameters in the order of parameters(), as gradients have them.
  [[nodiscard]] std::span<const float> weights() const;
  // Not while a session runs. Throws InputError for another size or a number that is not finite.
  void set_weights(std::span<const float> values);
  void set_parameter(const std::string& name, std::span<const float> values);

  // What travels with the weights in the file: texts by name, of which the library reads none. The
  // program keeps under "data" how files become the model's numbers.
  [[nodiscard]] const std::map<std::string, std::string>& notes() const;
  // Replaces the text; an empty one takes the note away. Throws InputError for a name that is empty
  // or the file's own ("format", "format_version", "network"), for what is not UTF-8, and for more
  // than the file has room for: about 1 MiB for all, less where there are many layers.
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
  int threads = 1;                // more than 8 bring nothing; the result does not depend on it
  Memory memory = Memory::kFull;  // what gradient() keeps
  std::string device = "cpu";     // or "cuda", "cuda:1", …: see rwa/device.h
  // How many sessions are meant to run on the GPU side by side: each takes a part of it. The result
  // does not depend on it.
  int share = 1;
};

// Where gradients are added to. After an exception their contents are of no use.
struct GradientView {
  std::span<float> weights;  // [parameter_count()]
  std::span<float> x = {};   // [T,B,D]; for symbols there is none
  // Written, not added to: the gradient with respect to each output of the last recurrent layer of
  // the encoder, [T,B,H], by all ways that lead from there to the loss; steps past a sequence's
  // length are left alone. On the CPU only, and for one direction.
  std::span<float> h = {};
};

// How many bytes training with such batches takes on the device, beside the batch itself: the
// weights, the optimiser and what is kept between forward and backward. A good estimate, not a
// bound, of the CPU's; others differ more. A decoder is taken to say as many steps as come in;
// where sequences are cut into parts, give the steps of a part. Throws ConfigError as Model does,
// InputError for a negative number.
RWA_EXPORT std::size_t training_memory(const ModelConfig& config, int steps, int batch,
                                       Memory memory = Memory::kFull);

// The scratch memory of one caller. Weights are shared, sessions are not: one per thread. A session
// keeps its model alive.
class RWA_EXPORT Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Writes the outputs, [B,O] or [T,B,O] as the readout says, before softmax or sigmoid; rows past
  // a sequence's length are left alone. A decoder runs freely, each step seeing the most likely
  // label of the one before, for as many steps as y, [steps,B,O], has room. Throws InputError when
  // shapes disagree.
  void run(const BatchView& batch, std::span<float> y);

  // The mean loss over sequences (or over all their steps); also the outputs, as run() writes them,
  // unless y is empty. Here, and in training, a decoder sees the labels that it should have said.
  double loss(const BatchView& batch, const TargetView& targets, std::span<float> y = {});
  // The same loss, and its gradient.
  double gradient(const BatchView& batch, const TargetView& targets, const GradientView& out);

  // How much each step has of the average that the encoder's last recurrent layer ends with: for
  // each sequence and unit numbers of 0 or more whose sum over the steps is 1 (with a forget gate
  // too: what was let go has less). Writes [T,B,H], or [T,B,2H] where both directions are read, the
  // end of the reverse one being the first step; 0 past a sequence's length. Throws ConfigError for
  // a cell that keeps no average. On the CPU only.
  void shares(const BatchView& batch, std::span<float> shares);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One sequence without end: an output after every step, from a state that can be taken out and put
// back. What it says has the bits of Session::run() on the CPU, whatever else is in the batch.
// Throws ConfigError for a network that must see the end first: one that reads both ways, averages
// over all steps, or decodes.
class RWA_EXPORT Stream {
 public:
  explicit Stream(const Model& model);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // x is [D], y is [O].
  void step(std::span<const float> x, std::span<float> y);
  // The same where the input is symbols.
  void step(std::int32_t symbol, std::span<float> y);

  void reset();  // to the start of a sequence
  [[nodiscard]] std::span<const float> state() const;
  void set_state(std::span<const float> state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa
