// src/c_api/buffer.cc: reference-counted memory and DLPack tensors over it.
#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "c_api/guard.h"
#include "rwa/c_api.h"
#include "rwa/errors.h"

extern "C" {
// From Python, if the process has it.
[[gnu::weak]] int PyCapsule_IsValid(void* capsule, const char* name);
[[gnu::weak]] void* PyCapsule_GetPointer(void* capsule, const char* name);
}

struct rwa_buffer {
  std::shared_ptr<void> memory;
  std::size_t bytes;
};

namespace {
using rwa::InputError;
using rwa::c_api::guarded;
using rwa::c_api::require;

constexpr std::size_t kAlignment = 64;
constexpr const char* kFresh = "dltensor";  // a capsule without a consumer

std::shared_ptr<void> zeros(std::size_t bytes) {
  const std::size_t whole =
      bytes / kAlignment + 1;  // at least one, so that empty buffers have an address too
  if (whole > std::numeric_limits<std::size_t>::max() / kAlignment) throw std::bad_alloc();
  void* const memory = std::aligned_alloc(kAlignment, whole * kAlignment);
  if (memory == nullptr) {
    throw rwa::ResourceError(fmt::format("cannot allocate {} bytes of memory", bytes));
  }
  std::shared_ptr<void> owner(memory, std::free);
  std::memset(memory, 0, whole * kAlignment);
  return owner;
}

// A tensor with the memory, shape and strides that it points to.
struct SharedTensor {
  DLManagedTensor tensor{};
  std::shared_ptr<void> memory;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

std::vector<std::int64_t> checked_shape(std::size_t bytes, std::uint8_t bits, int ndim,
                                        const std::int64_t* shape) {
  if (bits == 0 || bits % 8 != 0) {
    throw InputError(fmt::format("bits is {}, expected a multiple of 8", bits));
  }
  if (ndim < 0) throw InputError(fmt::format("ndim is {}, expected 0 or more", ndim));
  if (ndim > 0) require(shape, "shape");
  std::vector<std::int64_t> sizes(shape, shape + ndim);
  std::size_t room = bytes / (bits / 8U);
  bool empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0) throw InputError(fmt::format("shape has {}, expected 0 or more", size));
    empty = empty || size == 0;
    room /= std::max<std::size_t>(1, static_cast<std::size_t>(size));
  }
  if (room == 0 && !empty) {
    throw InputError(
        fmt::format("the tensor is larger than its buffer, expected at most {} bytes", bytes));
  }
  return sizes;
}

// Returns row-major strides. Some consumers of DLPack require strides even for compact tensors.
std::vector<std::int64_t> compact(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(1, shape[i]);
  }
  return strides;
}
}  // namespace

extern "C" {

rwa_result rwa_buffer_new(size_t bytes, rwa_buffer** out) {
  return guarded([&] {
    require(out, "out");
    *out = std::make_unique<rwa_buffer>(rwa_buffer{zeros(bytes), bytes}).release();
  });
}

void rwa_buffer_free(rwa_buffer* buffer) { delete buffer; }

void* rwa_buffer_data(const rwa_buffer* buffer) {
  return buffer == nullptr ? nullptr : buffer->memory.get();
}

rwa_result rwa_buffer_dlpack(rwa_buffer* buffer, uint8_t code, uint8_t bits, int ndim,
                             const int64_t* shape, void** managed_tensor) {
  return guarded([&] {
    require(buffer, "buffer");
    require(managed_tensor, "managed_tensor");
    auto shared = std::make_unique<SharedTensor>();
    shared->memory = buffer->memory;
    shared->shape = checked_shape(buffer->bytes, bits, ndim, shape);
    shared->strides = compact(shared->shape);
    shared->tensor.dl_tensor = {.data = shared->memory.get(),
                                .device = {kDLCPU, 0},
                                .ndim = ndim,
                                .dtype = {code, bits, 1},
                                .shape = shared->shape.data(),
                                .strides = shared->strides.data(),
                                .byte_offset = 0};
    shared->tensor.manager_ctx = shared.get();
    shared->tensor.deleter = [](DLManagedTensor* self) {
      delete static_cast<SharedTensor*>(self->manager_ctx);
    };
    *managed_tensor = &shared.release()->tensor;
  });
}

void rwa_capsule_free(void* capsule) {
  if (PyCapsule_IsValid(capsule, kFresh) == 0) return;
  auto* const tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kFresh));
  tensor->deleter(tensor);
}
}
