// include/rwa/model.h: a recurrent network: describe it, build it, run it, stream through it, save
// and load it. Shapes: T steps, B sequences, D features, H units, O outputs; row-major, last index
// fastest.
//
//   rwa::Model model({.inputs = 1, .units = 250, .outputs = 10});
//   rwa::Session session(model, {.threads = 2});
//   std::vector<float> y(batch.batch * 10);
//   session.run(batch, y);
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rwa/export.h"
#include "rwa/types.h"

namespace rwa {

// A description: one recurrent layer and a fully connected output layer.
struct ModelConfig {
  Cell cell = Cell::kRwa;
  Activation activation = Activation::kTanh;
  int inputs = 1;   // D
  int units = 250;  // H
  int outputs = 1;  // O
  Readout readout = Readout::kLast;
  Loss loss = Loss::kSoftmax;
  // Where forget gates start (rwa-forget, rwa-decay): half-lives are spread from one step to `span`,
  // about the longest sequence that will come; a share of `lasting` of the units never forgets.
  int span = 100;
  double lasting = 0.5;
  std::uint64_t seed = 1;  // same seed, same weights, for any device and number of threads

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// One named block of weights. The first letters say whose: layers.0.weight_x, …, output.bias.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const float> values;  // valid while the model lives and is not trained
};

class RWA_EXPORT Model {
 public:
  // With the initial weights of the paper. Throws ConfigError when a size is not positive.
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
  std::span<float> x = {};   // [T,B,D]
};

// The scratch memory of one caller. Weights are shared, sessions are not: one per thread. A session
// keeps its model alive.
class RWA_EXPORT Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Writes the outputs, [B,O] or [T,B,O] as the readout says; rows past a sequence's length are
  // left alone. Throws InputError when shapes disagree.
  void run(const BatchView& batch, std::span<float> y);

  // The mean loss over sequences (or over all their steps); also the outputs, as run() writes them,
  // unless y is empty.
  double loss(const BatchView& batch, const TargetView& targets, std::span<float> y = {});
  // The same loss, and its gradient.
  double gradient(const BatchView& batch, const TargetView& targets, const GradientView& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One sequence without end: an output after every step, from a state that can be taken out and put
// back.
class RWA_EXPORT Stream {
 public:
  explicit Stream(const Model& model);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // x is [D], y is [O].
  void step(std::span<const float> x, std::span<float> y);

  void reset();  // to the start of a sequence
  [[nodiscard]] std::span<const float> state() const;
  void set_state(std::span<const float> state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rwa
