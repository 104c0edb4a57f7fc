// src/api/weights.h: a model's weights and their copies on other devices. Readers see the copy on
// the CPU. A device announces that its copy has changed; the values are fetched on demand.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "model/network.h"

namespace rwa {

class ModelWeights {
 public:
  ModelWeights(const NetworkSpec& spec, std::span<const float> numbers);
  ModelWeights(const ModelWeights&) = delete;
  ModelWeights& operator=(const ModelWeights&) = delete;

  // Return the up-to-date weights in host memory.
  [[nodiscard]] const NetworkWeights<float>& on_cpu();
  [[nodiscard]] std::span<const float> numbers();
  // Replaces the values from `offset` on.
  void set(std::size_t offset, std::span<const float> numbers);

 private:
  friend class DeviceWeights;
  struct Copy {
    Copy(const NetworkSpec& spec, Backend<float>& backend) : weights(spec, backend) {}
    NetworkWeights<float> weights;
    std::uint64_t version = 0;  // 0: never set
  };

  void refresh(Copy& copy);
  void announce(Copy& copy);
  void retire(const Copy& copy) noexcept;
  // These require mutex_ to be held.
  void bring_to_cpu();
  void make_newest(Copy& copy);
  [[nodiscard]] std::span<float> host();

  std::mutex mutex_;
  std::size_t count_;
  std::unique_ptr<Backend<float>> backend_;
  Copy cpu_;
  Copy* newest_ = &cpu_;
  std::uint64_t version_ = 0;  // of the newest copy
  // Why the newest weights were lost with their device. Rethrown to every reader until all weights
  // are set again, so that older weights are never returned instead.
  std::exception_ptr lost_;
};

// The weights that one session or trainer computes with: the model's own on the CPU, a copy on
// other devices.
class DeviceWeights {
 public:
  DeviceWeights(ModelWeights& model, const NetworkSpec& spec, std::string_view device,
                Backend<float>& backend);
  // Saves the weights to the model if this copy is the newest.
  ~DeviceWeights();
  DeviceWeights(const DeviceWeights&) = delete;
  DeviceWeights& operator=(const DeviceWeights&) = delete;

  [[nodiscard]] NetworkWeights<float>& get() { return here_->weights; }
  // Brings this copy up to date.
  void refresh() { model_.refresh(*here_); }
  // Announces that this copy is about to become the newest.
  void announce() { model_.announce(*here_); }

 private:
  ModelWeights& model_;
  std::optional<ModelWeights::Copy> own_;
  ModelWeights::Copy* here_;
};

}  // namespace rwa
