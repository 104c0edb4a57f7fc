#include "export/torch_import_tensors.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "io/quote.h"
#include "model/model_file.h"

namespace rwa::exports {

Tensors::Tensors(const std::filesystem::path& file)
    : origin_(file.string()), file_(io::read_safetensors(file, io::Accept::kAnyFloat)) {
  const auto format = file_.metadata.find("format");
  if (format != file_.metadata.end() && format->second == kModelFormat) {
    fail("is a model of rwa already, expected weights of PyTorch");
  }
}

const io::Tensor* Tensors::find(std::string_view name) const {
  const auto found = std::ranges::find(file_.tensors, name, &io::Tensor::name);
  return found == file_.tensors.end() ? nullptr : &*found;
}

const io::Tensor* Tensors::take(std::string_view name) {
  const io::Tensor* tensor = find(name);
  if (tensor != nullptr) taken_.insert(tensor->name);
  return tensor;
}

const io::Tensor& Tensors::take(const std::string& name, const std::vector<std::int64_t>& shape) {
  const io::Tensor* tensor = take(name);
  if (tensor == nullptr) {
    fail("has no tensor {}, expected one of shape [{}]", io::quote(name), fmt::join(shape, ", "));
  }
  expect_shape(*tensor, shape);
  return *tensor;
}

void Tensors::expect_shape(const io::Tensor& tensor, const std::vector<std::int64_t>& shape) const {
  if (tensor.shape == shape) return;
  fail("tensor {} has shape {}, expected [{}]", io::quote(tensor.name), shape_text(tensor),
       fmt::join(shape, ", "));
}

std::string shape_text(const io::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> first;
  for (const std::string& name : names) {
    if (first.size() < kMost) first.push_back(io::escape(name));
  }
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > kMost ? ", ..." : "");
}

}  // namespace rwa::exports
