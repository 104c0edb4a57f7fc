// src/export/torch_import_tensors.h: the tensors of a file that is to become a model, and which of
// them have found their place in it.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::exports {

class Tensors {
 public:
  // Throws as io::read_safetensors() does; also for a file that is a model of ours already.
  explicit Tensors(const std::filesystem::path& file);

  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] const std::vector<io::Tensor>& all() const { return file_.tensors; }
  // Null where there is none.
  [[nodiscard]] const io::Tensor* find(std::string_view name) const;
  // The same, and it has its place now.
  const io::Tensor* take(std::string_view name);
  [[nodiscard]] bool is_taken(std::string_view name) const { return taken_.contains(name); }
  // The same for one that must be there, in this shape.
  const io::Tensor& take(const std::string& name, const std::vector<std::int64_t>& shape);
  void expect_shape(const io::Tensor& tensor, const std::vector<std::int64_t>& shape) const;

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw ModelFileError(
        fmt::format("{}: {}", origin_, fmt::format(text, std::forward<Args>(args)...)));
  }

 private:
  std::string origin_;
  io::TensorFile file_;
  std::set<std::string_view> taken_;  // into file_
};

std::string shape_text(const io::Tensor& tensor);            // "[12, 3]"
std::string list_of(const std::vector<std::string>& names);  // the first few, for a message

}  // namespace rwa::exports
