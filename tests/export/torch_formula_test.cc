// tests/export/torch_formula_test.cc: code of a cell that torch_module.py.in does not write out.
#include "export/torch_formula.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace rwa::exports {
namespace {

TEST(TorchFormula, IsReadable) {
  const LayerText lstm = layer_text({.cell = Cell::kLstm});
  EXPECT_EQ(lstm.begin,
            "        \"\"\"Return the initial state, [B,units] each: h, c.\"\"\"\n"
            "        h = next(self.parameters()).new_zeros(batch, self.units)\n"
            "        return [h, torch.full_like(h, 0)]");
  EXPECT_NE(lstm.step.find("v1 = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n"
                           "        return [torch.sigmoid(o) * torch.tanh(v1), v1]"),
            std::string::npos)
      << lstm.step;
  const LayerText gru = layer_text({.cell = Cell::kGru, .activation = Activation::kIdentity});
  EXPECT_NE(gru.step.find("n + torch.sigmoid(r) * m"), std::string::npos) << gru.step;
}

TEST(TorchFormula, IsWrittenForEveryCell) {
  for (const Cell cell : all_cells()) {
    for (const Activation activation : {Activation::kTanh, Activation::kIdentity}) {
      const LayerText text = layer_text({.cell = cell, .activation = activation});
      for (const std::string& part : {text.init, text.begin, text.step}) {
        EXPECT_EQ(part.find("{}"), std::string::npos) << part;
        EXPECT_EQ(std::ranges::count(part, '('), std::ranges::count(part, ')')) << part;
      }
    }
  }
}

TEST(TorchFormula, HasTheLayersThatThePyTorchTextNames) {
  const auto gru = linear_layers(cell_traits(Cell::kGru));
  ASSERT_EQ(gru.size(), 3U);
  EXPECT_EQ(gru[0].name, "gates");
  EXPECT_EQ(gru[0].preactivations, (std::vector<int>{0, 1}));
  EXPECT_EQ(gru[2].name, "candidate");
}

}  // namespace
}  // namespace rwa::exports
