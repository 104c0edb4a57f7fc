// src/backend/cuda/cluster.cuh: the PTX behind the persistent kernels: stores into the shared
// memory of other blocks of a cluster, mbarriers that count the bytes, cp.async, and mma on the
// tensor cores. Compute capability 9.0.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace rwa::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Maps an address in this block's shared memory to the same one in another block of the cluster.
__device__ __forceinline__ std::uint32_t peer_address(std::uint32_t address, unsigned block) {
  std::uint32_t peer;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(address), "r"(block));
  return peer;
}

// Barrier over all threads of the cluster.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// Named barrier over `threads` threads of a block.
__device__ __forceinline__ void named_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// An mbarrier for bytes that other blocks send. A phase completes once the barrier has been armed
// with a byte count and that many bytes have arrived; bytes may arrive before it is armed.
__device__ __forceinline__ void init_barrier(std::uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
// Makes initialised mbarriers usable by other blocks, after the next cluster_sync().
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arm_barrier(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Waits until the phase of this parity (0, 1, 0, …) completes. The bytes it counted are then
// visible: st.async has release semantics at cluster scope.
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

// Stores 16 bytes into the shared memory of a block of the cluster; an mbarrier there counts them.
__device__ __forceinline__ void send(std::uint32_t address, uint4 value, std::uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(address),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
      : "memory");
}

// Stores 4, 8 or 16 bytes to global memory if `there`, without a branch. Does not keep loads of the
// kernel from moving across: it must not read there.
__device__ __forceinline__ void store_if(bool there, void* to, float value) {
  asm volatile(
      "{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %2, 0;\n\t"
      "@there st.global.f32 [%0], %1;\n\t}" ::"l"(to),
      "f"(value), "r"(static_cast<unsigned>(there)));
}
__device__ __forceinline__ void store_if(bool there, void* to, uint2 value) {
  asm volatile(
      "{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %3, 0;\n\t"
      "@there st.global.v2.u32 [%0], {%1, %2};\n\t}" ::"l"(to),
      "r"(value.x), "r"(value.y), "r"(static_cast<unsigned>(there)));
}
__device__ __forceinline__ void store_if(bool there, void* to, uint4 value) {
  asm volatile(
      "{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %5, 0;\n\t"
      "@there st.global.v4.u32 [%0], {%1, %2, %3, %4};\n\t}" ::"l"(to),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(static_cast<unsigned>(there)));
}

// Copies a multiple of 16 bytes from global to shared memory asynchronously; an mbarrier counts them.
__device__ __forceinline__ void copy_bulk(std::uint32_t to, const void* from, std::uint32_t bytes,
                                          std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// Copies 4 bytes from global to shared memory asynchronously; writes zeros if `there` is false.
__device__ __forceinline__ void copy_later(std::uint32_t to, const void* from, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
               "r"(there ? 4 : 0)
               : "memory");
}
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
// Ends a group of copies; wait_for_groups() waits for all but the last `Left` groups.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Left>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

// c += a b for fp16 a (16 x 16) and b (16 x 8). Fragments of lane l: of a, rows l/4 and l/4 + 8 by
// columns k = 2(l%4), k + 1, k + 8, k + 9; of b, those k as rows, column l/4; of c, rows l/4 and
// l/4 + 8 by columns 2(l%4) and the next.
__device__ __forceinline__ void multiply_add(float (&c)[4], uint4 a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// Splits a value into the sum of two fp16 halves: `high` in bits 0–15, `low` in bits 16–31. Within
// ±2^14 the pair has 22 significant bits, or an absolute error of 2^-25 where `low` is subnormal.
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
