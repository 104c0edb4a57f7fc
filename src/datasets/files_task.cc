#include "datasets/files_task.h"

#include "base/names.h"

namespace rwa::datasets {

using formats::Target;

std::vector<std::string> task_names() {
  std::vector<std::string> names = all_names<Target>();
  names.emplace_back(kNextStep);
  return names;
}

std::optional<Target> parse_task(const FilesTask& task) {
  if (is_name(task.task, kNextStep)) return Target::kNone;
  if (!task.task.empty()) return formats::parse_target(task.task);
  if (task.horizon > 0) return Target::kNone;
  return {};
}

bool is_forecast(const FilesTask& task, const formats::Schema& schema) {
  return schema.target == Target::kNone && !schema.symbols && !is_name(task.task, kNextStep);
}

}  // namespace rwa::datasets
