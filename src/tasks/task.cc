#include "tasks/task.h"

#include "base/names.h"
#include "datasets/files.h"
#include "rwa/errors.h"
#include "tasks/kinds.h"

namespace rwa::tasks {
namespace {
constexpr Names<Values, 2> kValues{{{Values::kNormal, "normal"}, {Values::kUniform, "uniform"}}};
constexpr Names<AddingOrder, 2> kOrders{{{AddingOrder::kIndicatorValue, "indicator-value"},
                                         {AddingOrder::kValueIndicator, "value-indicator"}}};

struct Opener {
  std::uint64_t seed;
  const std::filesystem::path& folder;

  auto operator()(const GrammarTask& task) const { return open_grammar(task, seed); }
  auto operator()(const LengthTask& task) const { return open_length(task, seed); }
  auto operator()(const CopyTask& task) const { return open_copy(task, seed); }
  auto operator()(const AddingTask& task) const { return open_adding(task, seed); }
  auto operator()(const MnistTask& task) const { return open_mnist(task, seed, folder); }
  auto operator()(const MultiCopyTask& task) const { return open_multi_copy(task, seed); }
  auto operator()(const XorTask& task) const { return open_xor(task, seed); }
  auto operator()(const LookAheadTask& task) const { return open_look_ahead(task, seed); }
  auto operator()(const AutoencodeTask& task) const { return open_autoencode(task, seed); }
  auto operator()(const SpellingTask& task) const { return open_spelling(task, seed); }
  std::unique_ptr<datasets::Dataset> operator()(const datasets::FilesTask& task) const {
    return datasets::open_files(task, seed, folder.empty() ? "." : folder);
  }
};
}  // namespace

std::unique_ptr<datasets::Dataset> open_task(const Task& task, std::uint64_t seed,
                                             const std::filesystem::path& folder) {
  return std::visit(Opener{seed, folder}, task);
}

Facts facts(const Task& task) {
  if (std::holds_alternative<MnistTask>(task)) return mnist_facts();
  if (std::holds_alternative<datasets::FilesTask>(task)) {
    throw ConfigError("the shape of a task of files is unknown: the files must be read first");
  }
  const auto dataset = open_task(task, 0, {});
  return {.shape = dataset->shape(), .naive = dataset->naive()};
}

std::string_view to_string(Values values) { return name_of(kValues, "distribution", values); }
std::string_view to_string(AddingOrder order) { return name_of(kOrders, "order", order); }
Values parse_values(std::string_view name) { return parse_name(kValues, "distribution", name); }
AddingOrder parse_adding_order(std::string_view name) { return parse_name(kOrders, "order", name); }

}  // namespace rwa::tasks
