#include "report/look.h"

#include <array>
#include <cstddef>

namespace rwa::report {
namespace {

constexpr std::string_view kBlue = "#0067b1";
constexpr std::string_view kBlueOnDark = "#58b4f0";
constexpr std::string_view kOrange = "#d55e00";
constexpr std::string_view kOrangeOnDark = "#f79646";

// In the order of Role.
constexpr std::array<Look, 11> kLooks{{
    {"rwa", kBlue, kBlueOnDark, 1, 1.6, false},
    {"lstm", kOrange, kOrangeOnDark, 1, 1.6, false},
    {"other-1", "#00805c", "#3ccfa0", 1, 1.6, false},
    {"other-2", "#b0538c", "#e79cc8", 1, 1.6, false},
    {"other-3", "#a87800", "#e8c04a", 1, 1.6, false},
    {"other-4", "#3a9bd9", "#9ad4fb", 1, 1.6, false},
    {"other-5", "#5b2c83", "#b596e0", 1, 1.6, false},
    {"other-6", "#22262b", "#dfe3e8", 1, 1.6, false},
    {"naive", "#6a6f76", "#a0a6ae", 1, 1.4, true},
    {"rwa-reference", kBlue, kBlueOnDark, 0.4, 1.4, false},
    {"lstm-reference", kOrange, kOrangeOnDark, 0.4, 1.4, false},
}};

}  // namespace

const Look& look_of(Role role) { return kLooks.at(static_cast<std::size_t>(role)); }

std::span<const Look> all_looks() { return kLooks; }

}  // namespace rwa::report
