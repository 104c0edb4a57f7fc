// src/bench/peers/cuda_floors.cu: limits that no recurrent kernel on this GPU can beat: barriers
// over a cluster and over the grid, an all-gather of h in a cluster, and memory bandwidth.
//
//   rwa-bench-floors [--device cuda:N]
//
// Prints one line of JSON. Clusters need compute capability 9.0 or higher.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "peer_main.h"

namespace {

namespace cg = cooperative_groups;

constexpr int kCluster = 8;   // blocks
constexpr int kClusters = 13;  // for a batch of 100, eight sequences each
constexpr int kThreads = 256;
constexpr int kRounds = 10'000;
constexpr int kRepetitions = 5;
constexpr std::size_t kCopyBytes = std::size_t{1} << 30;

constexpr int kChunks = 64;  // of 16 bytes: 1 KB per block, one chunk per thread
constexpr std::uint32_t kReceivedBytes = kCluster * kChunks * sizeof(uint4);

__global__ void __cluster_dims__(kCluster) barrier_kernel() {
  for (int i = 0; i < kRounds; ++i) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
}

__global__ void grid_kernel() {
  const cg::grid_group grid = cg::this_grid();
  for (int i = 0; i < kRounds; ++i) grid.sync();
}

__device__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Maps an address in this block's shared memory to the same one in another block of the cluster.
__device__ std::uint32_t address_in(std::uint32_t address, int rank) {
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

__device__ void expect_bytes(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Acquires at cluster scope: the bytes come from other blocks.
__device__ void wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], %2;\n"
        "selp.u32 %0, 1, 0, complete;\n"
        "}\n"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

__device__ void send(std::uint32_t to, std::uint32_t barrier, uint4 value) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
      ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
      : "memory");
}

// The chunks of all blocks, double-buffered: while one half is read, the other is written.
struct Gathered {
  uint4 chunks[2][kCluster][kChunks];
  alignas(8) std::uint64_t barriers[2];
};

// In every round each block sends its chunks to all blocks; its next chunks are those of its right
// neighbour, plus 1. No half is overwritten while it is read: a round completes in a block once
// every thread of every block has sent to it, and a thread sends only after reading the last round.
__global__ void __cluster_dims__(kCluster) gather_kernel(uint4* result) {
  __shared__ Gathered gathered;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  const int chunk = static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) {
    for (std::uint64_t& barrier : gathered.barriers) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier))
                   : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster.sync();

  const std::uint32_t first = rank * kChunks + chunk;
  uint4 value = make_uint4(first, first, first, first);
  for (int round = 0; round < kRounds; ++round) {
    const int half = round % 2;
    const std::uint32_t place = shared_address(&gathered.chunks[half][rank][chunk]);
    const std::uint32_t barrier = shared_address(&gathered.barriers[half]);
    if (threadIdx.x == 0) expect_bytes(barrier, kReceivedBytes);
#pragma unroll
    for (int i = 0; i < kCluster; ++i) {
      const int to = (rank + i) % kCluster;  // blocks start with different receivers
      send(address_in(place, to), address_in(barrier, to), value);
    }
    wait(barrier, static_cast<std::uint32_t>(round / 2 % 2));
    value = gathered.chunks[half][(rank + 1) % kCluster][chunk];
    value.x += 1;
    value.y += 1;
    value.z += 1;
    value.w += 1;
  }
  result[blockIdx.x * kChunks + chunk] = value;
  cluster.sync();  // no block exits while others may still write to it
}

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

// Median seconds per call after a warm-up.
template <class Call>
double median_seconds(Call call) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  call();
  std::array<float, kRepetitions> times{};
  for (float& time : times) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    call();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "a measurement");
    check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
  }
  std::nth_element(times.begin(), times.begin() + kRepetitions / 2, times.end());
  return times[kRepetitions / 2] * 1e-3;
}

double barrier_us() {
  const double time = median_seconds([] {
    barrier_kernel<<<kClusters * kCluster, kThreads>>>();
    check(cudaGetLastError(), "barrier_kernel");
  });
  return time / kRounds * 1e6;
}

// After kRounds a block has the initial value of the block kRounds to its right, plus kRounds.
void check_gathered(const std::vector<uint4>& result) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint32_t chunk = i % kChunks;
    const std::uint32_t rank = i / kChunks % kCluster;
    const std::uint32_t expected = (rank + kRounds) % kCluster * kChunks + chunk + kRounds;
    const uint4 value = result[i];
    if (value.x != expected || value.y != expected || value.z != expected || value.w != expected) {
      throw std::runtime_error("the all-gather returned a wrong value");
    }
  }
}

double gather_us() {
  constexpr std::size_t kCount = std::size_t{kClusters} * kCluster * kChunks;
  uint4* result = nullptr;
  check(cudaMalloc(&result, kCount * sizeof(uint4)), "cudaMalloc");
  const double time = median_seconds([&] {
    gather_kernel<<<kClusters * kCluster, kChunks>>>(result);
    check(cudaGetLastError(), "gather_kernel");
  });
  std::vector<uint4> host(kCount);
  check(cudaMemcpy(host.data(), result, kCount * sizeof(uint4), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  check_gathered(host);
  check(cudaFree(result), "cudaFree");
  return time / kRounds * 1e6;
}

double grid_us(int multiprocessors) {
  const double time = median_seconds([&] {
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(grid_kernel),
                                      dim3(multiprocessors), dim3(kThreads), nullptr, 0, nullptr),
          "grid_kernel");
  });
  return time / kRounds * 1e6;
}

// Counts bytes read and bytes written.
double copy_tb_per_s() {
  void* from = nullptr;
  void* to = nullptr;
  check(cudaMalloc(&from, kCopyBytes), "cudaMalloc");
  check(cudaMalloc(&to, kCopyBytes), "cudaMalloc");
  check(cudaMemset(from, 0x5a, kCopyBytes), "cudaMemset");
  const double time = median_seconds([&] {
    check(cudaMemcpyAsync(to, from, kCopyBytes, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
  });
  check(cudaFree(from), "cudaFree");
  check(cudaFree(to), "cudaFree");
  return 2.0 * static_cast<double>(kCopyBytes) / time * 1e-12;
}

void measure(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  int capability = 0;
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  if (capability < 9) throw std::runtime_error("this GPU has no thread block clusters");
  const double barrier = barrier_us();
  const double gather = gather_us();
  const double grid = grid_us(multiprocessors);
  std::printf(
      "{\"cluster_barrier_us\":%.4f,\"all_gather_us\":%.4f,\"grid_sync_us\":%.4f,"
      "\"copy_tb_per_s\":%.3f}\n",
      barrier, gather, grid, copy_tb_per_s());
}

void set_option(int& device, const std::string& name, const std::string& value) {
  if (name != "--device") throw std::invalid_argument(name);
  device = rwa::bench::peers::parse_gpu(value);
}

}  // namespace

int main(int argc, char** argv) {
  return rwa::bench::peers::peer_main<int>(argc, argv, "rwa-bench-floors [--device cuda:N]",
                                           set_option, measure);
}
