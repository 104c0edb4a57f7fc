#include "backend/cuda/recurrence.h"

#include "backend/cuda/pack.h"
#include "backend/cuda/persistent.h"

namespace rwa::cuda {

Weights::Weights(const RecurrentSpec& spec, const Context& context)
    : spec_(spec), context_(context), product_(persistent_product(context, spec)) {
  context.make_current();
  parameters_.reserve(spec.parameters() * sizeof(float));
  if (product_) packed_.reserve(PackedSizes(spec, *product_).bytes());
}

void Weights::load(const float* parameters) {
  context_.make_current();
  check(cudaMemcpyAsync(parameters_.as<float>(), parameters, spec_.parameters() * sizeof(float),
                        cudaMemcpyDeviceToDevice, context_.stream),
        "cudaMemcpyAsync");
  if (product_) pack(spec_, *product_, parameters, packed_.as<void>(), context_.stream);
}

Packed Weights::packed() const {
  return {PackedSizes(spec_, product_.value()), packed_.as<void>()};
}

std::unique_ptr<LayerWeights<float>> make_weights(const RecurrentSpec& spec,
                                                  const Context& context) {
  return std::make_unique<Weights>(spec, context);
}

std::unique_ptr<RecurrentPass<float>> make_pass(const RecurrentSpec& spec, const Context& context,
                                                int beside) {
  return persistent_product(context, spec) ? make_persistent_pass(spec, context, beside)
                                           : make_plain_pass(spec, context);
}

}  // namespace rwa::cuda
