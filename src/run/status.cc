#include "run/status.h"

#include "base/names.h"

namespace rwa::run {
namespace {
constexpr Names<Status, 4> kStatuses{{{Status::kRunning, "running"},
                                      {Status::kFinished, "finished"},
                                      {Status::kInterrupted, "interrupted"},
                                      {Status::kDiverged, "diverged"}}};
}  // namespace

std::string_view to_string(Status status) { return name_of(kStatuses, "status", status); }
Status parse_status(std::string_view name) { return parse_name(kStatuses, "status", name); }

}  // namespace rwa::run
