#include "api/weights.h"

#include <algorithm>

#include "backend/device.h"

namespace rwa {

ModelWeights::ModelWeights(const NetworkSpec& spec, std::span<const float> numbers)
    : count_(spec.parameters()), backend_(make_cpu_backend(1)), cpu_(spec, *backend_) {
  cpu_.weights.set(numbers);
  make_newest(cpu_);
}

const NetworkWeights<float>& ModelWeights::on_cpu() {
  refresh(cpu_);
  return cpu_.weights;
}

std::span<const float> ModelWeights::numbers() {
  refresh(cpu_);
  return host();
}

void ModelWeights::set(std::size_t offset, std::span<const float> numbers) {
  const std::lock_guard lock(mutex_);
  if (numbers.size() == count_) lost_ = nullptr;
  bring_to_cpu();
  std::ranges::copy(numbers, host().begin() + static_cast<std::ptrdiff_t>(offset));
  cpu_.weights.update();
  make_newest(cpu_);
}

void ModelWeights::refresh(Copy& copy) {
  const std::lock_guard lock(mutex_);
  if (copy.version == version_ && !lost_) return;
  bring_to_cpu();
  if (&copy == &cpu_) return;
  copy.weights.set(host());
  copy.version = version_;
}

void ModelWeights::announce(Copy& copy) {
  const std::lock_guard lock(mutex_);
  make_newest(copy);
}

void ModelWeights::retire(const Copy& copy) noexcept {
  const std::lock_guard lock(mutex_);
  if (newest_ != &copy) return;
  try {
    bring_to_cpu();
  } catch (...) {
    lost_ = std::current_exception();
  }
  make_newest(cpu_);
}

void ModelWeights::bring_to_cpu() {
  if (lost_) std::rethrow_exception(lost_);
  if (cpu_.version == version_) return;
  newest_->weights.values.read(host());
  cpu_.weights.update();
  cpu_.version = version_;
}

void ModelWeights::make_newest(Copy& copy) {
  newest_ = &copy;
  copy.version = ++version_;
}

std::span<float> ModelWeights::host() { return {cpu_.weights.values.data(), count_}; }

DeviceWeights::DeviceWeights(ModelWeights& model, const NetworkSpec& spec, std::string_view device,
                             Backend<float>& backend)
    : model_(model), here_(&model.cpu_) {
  if (!is_host(device)) here_ = &own_.emplace(spec, backend);
}

DeviceWeights::~DeviceWeights() {
  if (own_) model_.retire(*own_);
}

}  // namespace rwa
