#include "training/status.h"

#include "base/names.h"

namespace rwa::training {
namespace {
constexpr Names<Status, 4> kStatuses{{{Status::kRunning, "running"},
                                      {Status::kFinished, "finished"},
                                      {Status::kInterrupted, "interrupted"},
                                      {Status::kDiverged, "diverged"}}};
constexpr Names<End, 3> kEnds{
    {{End::kSteps, "steps"}, {End::kPatience, "patience"}, {End::kTime, "time"}}};
}  // namespace

std::string_view to_string(Status status) { return name_of(kStatuses, "status", status); }
Status parse_status(std::string_view name) { return parse_name(kStatuses, "status", name); }
std::string_view to_string(End end) { return name_of(kEnds, "end", end); }
End parse_end(std::string_view name) { return parse_name(kEnds, "end", name); }

}  // namespace rwa::training
