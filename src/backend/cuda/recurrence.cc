#include "backend/cuda/recurrence.h"

#include "backend/cuda/persistent.h"
#include "backend/cuda/plain.h"
#include "backend/cuda/weights.h"

namespace rwa::cuda {

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
