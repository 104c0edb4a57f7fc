// src/backend/cuda/persistent_sums.cu: sums of what the backward kernel leaves per slot.
#include "backend/cuda/persistent.h"

#include "backend/cuda/gates.h"

namespace rwa::cuda {
namespace {

constexpr int kLanes = 32;
constexpr int kParts = 8;  // of the slots, summed in parallel

// A block sums 32 units of one pre-activation and one feature or the bias; a thread sums every
// eighth slot.
__global__ void sum_slots(PlacedRows rows, const float* x_sums, int inputs, int units,
                          int padded_units, int preactivations, CellTerms cell,
                          std::size_t bias, float* parameters) {
  __shared__ float parts[kParts][kLanes];
  const int lane = static_cast<int>(threadIdx.x);
  const int part = static_cast<int>(threadIdx.y);
  const int unit = static_cast<int>(blockIdx.x) * kLanes + lane;
  const int number = static_cast<int>(blockIdx.y);  // [1 + D][preactivation]
  const int preactivation = number % preactivations;
  const int d = number / preactivations - 1;
  const TermBits blocks = d >= 0 ? cell.x : cell.bias;
  if (!blocks.has(preactivation)) return;
  const int per_slot = preactivations * (inputs + 1);
  const int slots = (rows.header->batch + kOctet - 1) / kOctet * kOctet;
  float sum = 0;
  for (int slot = part; slot < slots; slot += kParts) {
    sum += x_sums[(static_cast<std::size_t>(slot) * per_slot + number) * padded_units + unit];
  }
  parts[part][lane] = sum;
  __syncthreads();
  if (part != 0 || unit >= units) return;
  float total = parts[0][lane];
  for (int p = 1; p < kParts; ++p) total += parts[p][lane];
  const std::size_t row = static_cast<std::size_t>(blocks.block(preactivation)) * units + unit;
  parameters[d >= 0 ? row * inputs + d : bias + row] += total;
}

__global__ void scatter_initial(PlacedRows rows, const float* earlier, int units, int padded_units,
                                int numbers, float* initial) {
  const int sequence = rows.sequence[blockIdx.x];
  if (sequence < 0) return;
  for (int i = static_cast<int>(threadIdx.x); i < numbers * units;
       i += static_cast<int>(blockDim.x)) {
    const std::size_t row = static_cast<std::size_t>(i / units) * rows.slots + blockIdx.x;
    initial[static_cast<std::size_t>(sequence) * numbers * units + i] +=
        earlier[row * padded_units + i % units];
  }
}

}  // namespace

void add_x_sums(const Context& context, const RecurrentSpec& spec, const PlacedRows& rows,
                const float* x_sums, int padded_units, float* parameters) {
  const int preactivations = device_preactivations(spec);
  const dim3 grid(static_cast<unsigned>(padded_units / kLanes),
                  static_cast<unsigned>(preactivations * (spec.inputs + 1)));
  sum_slots<<<grid, dim3(kLanes, kParts), 0, context.stream>>>(
      rows, x_sums, spec.inputs, spec.units, padded_units, preactivations, CellTerms(spec),
      spec.bias(), parameters + spec.weight_x());
  check_launch("sum_slots");
}

void add_initial_gradients(const Context& context, const RecurrentSpec& spec,
                           const PlacedRows& rows, const float* earlier, int padded_units,
                           float* initial) {
  scatter_initial<<<static_cast<unsigned>(rows.slots), 256, 0, context.stream>>>(
      rows, earlier, spec.units, padded_units, 1 + spec.traits().carry, initial);
  check_launch("scatter_initial");
}

}  // namespace rwa::cuda
