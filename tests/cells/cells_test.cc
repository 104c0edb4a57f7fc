// tests/cells/cells_test.cc: the list of cells, and the traits of each.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cells/traits.h"
#include "rwa/errors.h"

namespace rwa {
namespace {

TEST(Cells, AreTheEnumerationInItsOrder) {
  EXPECT_EQ(to_string(Cell::kRwa), "rwa");
  EXPECT_EQ(to_string(Cell::kRwaForget), "rwa-forget");
  EXPECT_EQ(to_string(Cell::kRwaDecay), "rwa-decay");
  EXPECT_EQ(to_string(Cell::kLstm), "lstm");
  EXPECT_EQ(to_string(Cell::kGru), "gru");
  EXPECT_GE(all_cells().size(), 5U);
  for (std::size_t i = 0; i < all_cells().size(); ++i) {
    EXPECT_EQ(all_cells()[i], static_cast<Cell>(i));
  }
}

TEST(Cells, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Cell cell : all_cells()) {
    const CellInfo& info = cell_info(cell);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(parse_cell(info.name), cell);
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.description.empty());
    EXPECT_NE(cell_names().find(info.name), std::string::npos);
  }
  EXPECT_THROW((void)to_string(static_cast<Cell>(all_cells().size())), ConfigError);
  EXPECT_THROW((void)to_string(static_cast<Cell>(-1)), ConfigError);
  EXPECT_EQ(averaging_cell_names(), "rwa, rwa-forget, rwa-decay");
}

TEST(Cells, OnlyHalfLivesCanBeFrozen) {
  for (const Cell cell : all_cells()) {
    EXPECT_EQ(cell_traits(cell).has_constant_gate(), cell == Cell::kRwaDecay) << to_string(cell);
  }
}

// Another set or order would change what `rwa tune` tries.
TEST(Cells, ThatAreTuned) {
  std::string tuned;
  for (const Cell cell : all_cells()) {
    if (cell_traits(cell).tuned) tuned += std::string(to_string(cell)) + " ";
  }
  EXPECT_EQ(tuned, "rwa rwa-forget lstm gru ");
}

}  // namespace
}  // namespace rwa
