// tests/c_api/buffer_test.cc: reference-counted memory, and tensors over it.
#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "c_api/c_api_testing.h"

// Stubs for the Python functions that the library calls.
struct Capsule {
  std::string name;
  void* pointer;
};

extern "C" int PyCapsule_IsValid(void* capsule, const char* name) {
  return static_cast<int>(static_cast<Capsule*>(capsule)->name == name);
}

extern "C" void* PyCapsule_GetPointer(void* capsule, const char*) {
  return static_cast<Capsule*>(capsule)->pointer;
}

namespace rwa::c_api {
namespace {

DLManagedTensor* tensor(rwa_buffer* buffer, const std::vector<std::int64_t>& shape) {
  void* managed = nullptr;
  expect_ok(rwa_buffer_dlpack(buffer, kDLFloat, 32, static_cast<int>(shape.size()), shape.data(),
                              &managed));
  return static_cast<DLManagedTensor*>(managed);
}

TEST(Buffer, IsZerosAtACacheLine) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{4}, std::size_t{64}, std::size_t{1000}}) {
    const auto buffer = made<BufferHandle>(rwa_buffer_new, bytes);
    const auto* data = static_cast<const unsigned char*>(rwa_buffer_data(buffer.get()));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i], 0);
  }
  EXPECT_EQ(rwa_buffer_data(nullptr), nullptr);
}

TEST(Buffer, LivesAsLongAsItsTensors) {
  auto buffer = made<BufferHandle>(rwa_buffer_new, std::size_t{24});
  auto* const numbers = static_cast<float*>(rwa_buffer_data(buffer.get()));
  DLManagedTensor* const first = tensor(buffer.get(), {2, 3});
  DLManagedTensor* const second = tensor(buffer.get(), {4});
  numbers[5] = 7;
  buffer.reset();

  const DLTensor& t = first->dl_tensor;
  EXPECT_EQ(t.data, numbers);
  EXPECT_EQ(t.device.device_type, kDLCPU);
  EXPECT_EQ(t.ndim, 2);
  EXPECT_EQ((std::array{t.shape[0], t.shape[1], t.strides[0], t.strides[1]}),
            (std::array<std::int64_t, 4>{2, 3, 3, 1}));
  EXPECT_EQ(t.dtype.code, kDLFloat);
  EXPECT_EQ(t.dtype.bits, 32);
  EXPECT_EQ(t.byte_offset, 0U);
  second->deleter(second);
  EXPECT_EQ(static_cast<float*>(t.data)[5], 7);
  first->deleter(first);
}

TEST(Buffer, ACapsuleFreesOnlyWhatNobodyHasTaken) {
  int freed = 0;
  DLManagedTensor counted{};
  counted.manager_ctx = &freed;
  counted.deleter = [](DLManagedTensor* self) { ++*static_cast<int*>(self->manager_ctx); };
  Capsule capsule{"used_dltensor", &counted};
  rwa_capsule_free(&capsule);
  EXPECT_EQ(freed, 0);
  capsule.name = "dltensor";
  rwa_capsule_free(&capsule);
  EXPECT_EQ(freed, 1);
}

TEST(Buffer, HoldsTensorsWithoutNumbers) {
  const auto buffer = made<BufferHandle>(rwa_buffer_new, std::size_t{0});
  DLManagedTensor* const empty = tensor(buffer.get(), {3, 0});
  EXPECT_EQ(empty->dl_tensor.shape[1], 0);
  empty->deleter(empty);
}

TEST(Buffer, RefusesWhatDoesNotFit) {
  const auto buffer = made<BufferHandle>(rwa_buffer_new, std::size_t{24});
  const auto refused = [&](std::uint8_t bits, int ndim, std::vector<std::int64_t> shape,
                           const std::string& word) {
    void* managed = nullptr;
    expect_failure(rwa_buffer_dlpack(buffer.get(), kDLFloat, bits, ndim, shape.data(), &managed),
                   RWA_INPUT_ERROR, {word, "expected"});
    EXPECT_EQ(managed, nullptr);
  };
  refused(32, 2, {2, 4}, "larger than its buffer");
  refused(64, 1, {4}, "larger than its buffer");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  refused(32, 3, {most, most, most}, "larger than its buffer");
  refused(32, 1, {-1}, "shape has -1");
  refused(32, -1, {}, "ndim is -1");
  refused(7, 1, {1}, "bits is 7");
  refused(0, 1, {1}, "bits is 0");
}

TEST(Buffer, RefusesNull) {
  void* managed = nullptr;
  expect_failure(rwa_buffer_new(4, nullptr), RWA_INPUT_ERROR, {"out is null"});
  expect_failure(rwa_buffer_dlpack(nullptr, kDLFloat, 32, 0, nullptr, &managed), RWA_INPUT_ERROR,
                 {"buffer is null"});
  const auto buffer = made<BufferHandle>(rwa_buffer_new, std::size_t{4});
  expect_failure(rwa_buffer_dlpack(buffer.get(), kDLFloat, 32, 1, nullptr, &managed),
                 RWA_INPUT_ERROR, {"shape is null"});
  rwa_buffer_free(nullptr);
}

TEST(Buffer, SaysWhenThereIsNoMemory) {
  rwa_buffer* out = nullptr;
  expect_failure(rwa_buffer_new(std::numeric_limits<std::size_t>::max(), &out), RWA_RESOURCE_ERROR,
                 {"memory"});
  EXPECT_EQ(out, nullptr);
}

}  // namespace
}  // namespace rwa::c_api
