// tests/io/memory_test.cc: a file costs no more memory than a correct header announces.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <malloc.h>

#include "io/safetensors.h"
#include "io_testing.h"
#include "rwa/errors.h"

namespace {
std::atomic<std::size_t> in_use = 0;  // all in bytes
std::atomic<std::size_t> peak = 0;
constexpr std::size_t kMemory = std::size_t{1} << 30;
}  // namespace

// Simulates a machine with little memory: all containers allocate here. Not inlined, because GCC 12
// would otherwise warn of mismatched new and delete.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* memory = bytes > kMemory ? nullptr : std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory != nullptr) in_use += ::malloc_usable_size(memory);
  peak = std::max(peak.load(), memory != nullptr ? in_use.load() : bytes);
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory != nullptr) in_use -= ::malloc_usable_size(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace rwa::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::uintmax_t kTiB = std::uintmax_t{1} << 40;

// Returns the peak memory use during the call, relative to before.
template <typename Call>
std::size_t peak_of(Call call) {
  const std::size_t before = in_use;
  peak = before;
  call();
  return peak - before;
}

std::string length_of(std::uint64_t length) {
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text;
}

// A sparse file of 1 TiB with this beginning.
class HugeFile : public ::testing::Test {
 protected:
  void expect_refusal(std::string_view beginning, std::initializer_list<std::string_view> parts) {
    put(file_, beginning);
    std::error_code error;
    fs::resize_file(file_, kTiB, error);
    if (error) GTEST_SKIP() << "no files of 1 TiB here: " << error.message();
    const std::size_t used =
        peak_of([&] { expect_error<ModelFileError>([&] { read_safetensors(file_); }, parts); });
    EXPECT_LT(used, kMiB);
  }

  TempFolder folder_;
  fs::path file_ = folder_.path() / "model";
};

TEST_F(HugeFile, WithAWrongHeader) {
  expect_refusal("", {"the header is empty"});
  expect_refusal("GIF89a, and then some more",
                 {"not a safetensors file: the header's length is", "at most 1048576"});
  expect_refusal(length_of(1000), {"starts with byte 0x00"});
  expect_refusal(length_of(2) + "{]", {"not valid JSON"});
}

TEST_F(HugeFile, WithTrailingBytes) {
  const std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  expect_refusal(length_of(header.size()) + header, {"the data has 1,099,511,627,714 bytes",
                                                     "the 4 of its tensors", "no trailing bytes"});
}

// The data is as long as the header says, but the shape is wrong, so none of it is read.
TEST_F(HugeFile, WithAWrongTensor) {
  const std::string header =
      R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,1099511627000]}})";
  expect_refusal(length_of(header.size()) + header, {"\"w\" has 1,099,511,627,000 bytes", "[3]"});
}

// Valid, but too large for this machine.
TEST_F(HugeFile, ThatIsRightNeedsItsMemory) {
  const std::string start = R"({"w":{"dtype":"F32","shape":[)";
  const std::size_t size = 256;  // of the header
  const std::uintmax_t data = kTiB - size - 8;
  std::string header =
      start + std::to_string(data / 4) + R"(],"data_offsets":[0,)" + std::to_string(data) + "]}}";
  header.resize(size, ' ');
  put(file_, length_of(size) + header);
  std::error_code error;
  fs::resize_file(file_, kTiB, error);
  if (error) GTEST_SKIP() << "no files of 1 TiB here: " << error.message();
  expect_error<ResourceError>([&] { read_safetensors(file_); }, {file_.string(), "memory"});
}

TEST(Memory, IsThatOfTheValues) {
  const TempFolder folder;
  const fs::path file = folder.path() / "model";
  constexpr std::int64_t kValues = 1 << 20;
  const std::vector<float> values(kValues, 0.5F);
  write_safetensors(file, {{}, {{"a", {kValues}, values}, {"b", {kValues}, values}}});
  TensorFile content;
  const std::size_t used = peak_of([&] { content = read_safetensors(file); });
  EXPECT_EQ(content.tensors.at(1).values, values);
  EXPECT_GE(used, 8 * kMiB);
  EXPECT_LT(used, 9 * kMiB);
}

}  // namespace
}  // namespace rwa::io
