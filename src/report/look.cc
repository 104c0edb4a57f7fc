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
constexpr std::array<Look, 5> kLooks{{
    {"rwa", kBlue, kBlueOnDark, 1, 1.6, false},
    {"lstm", kOrange, kOrangeOnDark, 1, 1.6, false},
    {"naive", "#6a6f76", "#a0a6ae", 1, 1.4, true},
    {"rwa-reference", kBlue, kBlueOnDark, 0.4, 1.4, false},
    {"lstm-reference", kOrange, kOrangeOnDark, 0.4, 1.4, false},
}};

}  // namespace

const Look& look_of(Role role) { return kLooks.at(static_cast<std::size_t>(role)); }

}  // namespace rwa::report
