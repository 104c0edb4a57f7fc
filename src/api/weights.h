// src/api/weights.h: a model's weights on all devices where it is computed with. Readers see those
// on the CPU; whoever changes a copy elsewhere only says so, and its numbers are fetched when
// somebody asks for them.
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

  // Up to date, in the memory of the CPU, which is the host's.
  [[nodiscard]] const NetworkWeights<float>& on_cpu();
  [[nodiscard]] std::span<const float> numbers();
  // Those from `offset` on.
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
  // With the mutex held:
  void bring_to_cpu();
  void make_newest(Copy& copy);
  [[nodiscard]] std::span<float> host();

  std::mutex mutex_;
  std::size_t count_;
  std::unique_ptr<Backend<float>> backend_;
  Copy cpu_;
  Copy* newest_ = &cpu_;
  std::uint64_t version_ = 0;  // of the newest
  // Why the newest are gone with their device: thrown at whoever asks, until all are set anew.
  // Older ones are not passed off as them.
  std::exception_ptr lost_;
};

// The weights as one session or trainer computes with them: the model's own on the CPU, elsewhere a
// copy.
class DeviceWeights {
 public:
  DeviceWeights(ModelWeights& model, const NetworkSpec& spec, std::string_view device,
                Backend<float>& backend);
  // Delivers numbers that nobody else has.
  ~DeviceWeights();
  DeviceWeights(const DeviceWeights&) = delete;
  DeviceWeights& operator=(const DeviceWeights&) = delete;

  [[nodiscard]] NetworkWeights<float>& get() { return here_->weights; }
  // Brings them up to date.
  void refresh() { model_.refresh(*here_); }
  // Says that they are about to become the newest.
  void announce() { model_.announce(*here_); }

 private:
  ModelWeights& model_;
  std::optional<ModelWeights::Copy> own_;
  ModelWeights::Copy* here_;
};

}  // namespace rwa
