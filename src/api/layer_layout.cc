#include "api/layer_layout.h"

namespace rwa {
namespace {

using Letters = std::vector<std::string_view>;

// Of the pre-activations, in their order.
Letters preactivations(Cell cell) {
  switch (cell) {
    case Cell::kRwaForget:
    case Cell::kRwaDecay:
      return {"g", "a", "f", "u"};
    case Cell::kLstm:
      return {"i", "f", "g", "o"};
    case Cell::kGru:
      return {"r", "z", "m", "n"};  // n + r m goes into the candidate: m sees h, n sees x
    case Cell::kRwa:
      break;
  }
  return {"g", "a", "u"};
}

Letters with_part(const Letters& all, const Parts& part) {
  Letters found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (part.has(static_cast<int>(i))) found.push_back(all[i]);
  }
  return found;
}

}  // namespace

LayerLayout layer_layout(const RecurrentSpec& spec) {
  const CellTraits& cell = spec.traits();
  const Letters all = preactivations(spec.cell);
  LayerLayout layout{.gates_x = with_part(all, cell.x),
                     .gates_h = with_part(all, cell.h),
                     .gates_bias = with_part(all, cell.bias),
                     .gates_start = {},
                     .state = {"h"},
                     .carried = {"h"},
                     .parameters = spec.parameters()};
  if (cell.learned_start) layout.gates_start = {"s"};
  if (cell.averages) {
    layout.state = {"h", "r", "r_lo", "L", "L_lo"};
    layout.carried = {"h", "r", "L"};
  } else if (!state_is_output(spec.cell)) {
    layout.state = layout.carried = {"h", "c"};
  }
  return layout;
}

}  // namespace rwa
