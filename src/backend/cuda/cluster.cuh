// src/backend/cuda/cluster.cuh: the instructions that the persistent kernels are made of: clusters
// of blocks that write into each other's shared memory, barriers that count the bytes written, and
// products on the tensor cores. Compute capability 9.0.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace rwa::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// The address of the same place in the shared memory of another block of the cluster.
__device__ __forceinline__ std::uint32_t peer_address(std::uint32_t address, unsigned block) {
  std::uint32_t peer;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(address), "r"(block));
  return peer;
}

// Every thread of every block of the cluster.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// Some warps of a block.
__device__ __forceinline__ void named_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// A barrier for bytes that other blocks send: a phase ends when it was armed and as many have come
// as it was armed for. They may come before it is armed.
__device__ __forceinline__ void init_barrier(std::uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
// Afterwards other blocks of the cluster may use what was initialised, once they have met this one.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arm_barrier(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Waits for the end of a phase; phases have parity 0, 1, 0, … What was sent is there afterwards: the
// sends themselves release to the whole cluster.
__device__ __forceinline__ void wait_barrier(std::uint32_t barrier, unsigned parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again;\n\t"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// 16 bytes into the shared memory of a block of the cluster, counted by a barrier there.
__device__ __forceinline__ void send(std::uint32_t address, uint4 value, std::uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
          address),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
      : "memory");
}

// 4 bytes from global to shared memory in the background; zero instead where `there` is false.
__device__ __forceinline__ void copy_later(std::uint32_t to, const void* from, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
               "r"(there ? 4 : 0)
               : "memory");
}
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
// Copies come in groups: all but the last `Left` groups are there afterwards.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Left>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

// c += a b for a of 16 x 16, b of 16 x 8 halves. Of a, lane l holds rows l/4 and l/4 + 8, columns
// 2(l%4) and the next, and the same 8 columns on; of b, column l/4 and those columns as rows; of c,
// rows l/4 and l/4 + 8, columns 2(l%4) and the next.
__device__ __forceinline__ void multiply_add(float (&c)[4], uint4 a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// A number as the sum of two halves: the high one in the lower 16 bits, the low one above. Within
// ±2^14 the two have 22 bits, and never less than 2^-25 of a step.
__device__ __forceinline__ std::uint32_t split(float value) {
  const __half high = __float2half_rn(value);
  const __half low = __float2half_rn(value - __half2float(high));
  return static_cast<std::uint32_t>(__half_as_ushort(high)) |
         static_cast<std::uint32_t>(__half_as_ushort(low)) << 16;
}
__device__ __forceinline__ std::uint32_t high_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x5410);
}
__device__ __forceinline__ std::uint32_t low_halves(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x7632);
}

}  // namespace rwa::cuda
