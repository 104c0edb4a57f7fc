// tests/report/chart_test.cc: values that an axis cannot show are never drawn.
#include "report/chart.h"

#include <limits>

#include "io/io_testing.h"
#include "rwa/errors.h"

namespace rwa::report {
namespace {

using Numbers = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Curve curve(Role role, Numbers x, Numbers y, Numbers low = {}, Numbers high = {}) {
  return {"curve", role, std::move(x), std::move(y), std::move(low), std::move(high)};
}

Chart chart(bool log_x, bool log_y, std::vector<Curve> curves) {
  return {"id", "", "", "", "", log_x, log_y, std::move(curves)};
}

TEST(Drawable, LeavesOutNumbersThatAreNotFinite) {
  const Chart drawn = drawable(
      chart(false, false, {curve(Role::kRwa, {0, 1, 2, kNan, 4}, {-1, kNan, kInfinity, 3, 0})}));
  EXPECT_EQ(drawn.curves[0].x, (Numbers{0, 4}));
  EXPECT_EQ(drawn.curves[0].y, (Numbers{-1, 0}));
}

TEST(Drawable, LeavesOutZeroAndLessOnLogarithmicAxes) {
  const Curve all = curve(Role::kRwa, {-1, 0, 1, 2, 3}, {1, 1, 0, -1, 5});
  EXPECT_EQ(drawable(chart(true, false, {all})).curves[0].x, (Numbers{1, 2, 3}));
  EXPECT_EQ(drawable(chart(false, true, {all})).curves[0].x, (Numbers{-1, 0, 3}));
  EXPECT_EQ(drawable(chart(true, true, {all})).curves[0].y, (Numbers{5}));
}

TEST(Drawable, ABandEndsAtTheLeastValueWhereItWouldLeaveTheAxis) {
  const Curve band = curve(Role::kRwa, {1, 2, 3}, {4, 2, 8}, {-1, 0, kNan}, {5, kInfinity, 9});
  const Chart drawn = drawable(chart(false, true, {band}));
  EXPECT_EQ(drawn.curves[0].low, (Numbers{2, 2, 8}));
  EXPECT_EQ(drawn.curves[0].high, (Numbers{5, 2, 9}));
}

TEST(Drawable, TheBaselineBeginsWhereALogarithmicAxisDoes) {
  const Chart drawn = drawable(
      chart(true, false,
            {curve(Role::kRwa, {0, 100, 200}, {1, 1, 1}), curve(Role::kNaive, {0, 200}, {2, 2})}));
  EXPECT_EQ(drawn.curves[1].x, (Numbers{100, 200}));
}

TEST(Drawable, OrdersByRoleAndDropsWhatHasNoPoint) {
  const Chart drawn =
      drawable(chart(false, false,
                     {curve(Role::kLstmReference, {1}, {1}), curve(Role::kNaive, {1}, {kNan}),
                      curve(Role::kRwa, {1}, {1})}));
  ASSERT_EQ(drawn.curves.size(), 2);
  EXPECT_EQ(drawn.curves[0].role, Role::kRwa);
  EXPECT_EQ(drawn.curves[1].role, Role::kLstmReference);
}

TEST(Drawable, RefusesColumnsOfDifferentSizes) {
  for (const Curve& wrong :
       {curve(Role::kRwa, {1, 2}, {1}), curve(Role::kRwa, {1}, {1}, {1}, {}),
        curve(Role::kRwa, {1}, {1}, {1}, {1, 2}), curve(Role::kRwa, {}, {}, {}, {1})}) {
    io::expect_error<ConfigError>([&] { drawable(chart(false, false, {wrong})); },
                                  {"chart id", "'curve'", "expected equal sizes"});
  }
}

TEST(MedianCurve, HasABandWhereAllRunsThatGotAsFarWereEvaluated) {
  const Curve made =
      median_curve({curve(Role::kRwa, {0, 10, 20}, {4, 3, 2}), curve(Role::kRwa, {0, 10}, {8, 1}),
                    curve(Role::kRwa, {0, 20}, {6, 4})},
                   "all", Role::kLstm);
  EXPECT_EQ(made.label, "all");
  EXPECT_EQ(made.role, Role::kLstm);
  EXPECT_EQ(made.x, (Numbers{0, 20}));
  EXPECT_EQ(made.y, (Numbers{6, 3}));
  EXPECT_EQ(made.low, (Numbers{4, 2}));
  EXPECT_EQ(made.high, (Numbers{8, 4}));
}

TEST(MedianCurve, OfOneRunIsTheRun) {
  const Curve made = median_curve({curve(Role::kRwa, {0, 10}, {4, 3})}, "one", Role::kRwa);
  EXPECT_EQ(made.y, (Numbers{4, 3}));
  EXPECT_TRUE(made.low.empty());
}

}  // namespace
}  // namespace rwa::report
