// tests/export/torch_import_test.cc: which tensors become which parameters, and what is rejected.
// torch_import_test.py compares the outputs with PyTorch.
#include "export/torch_import.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "io/io_testing.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

using io::expect_error;
using Shape = std::vector<std::int64_t>;

// first, first + 1, ….
io::Tensor tensor(std::string name, Shape shape, float first = 0) {
  std::size_t size = 1;
  for (const std::int64_t dim : shape) size *= static_cast<std::size_t>(dim);
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), first);
  return {std::move(name), std::move(shape), std::move(values)};
}

std::vector<io::Tensor> recurrence(const std::string& prefix, int gates, int inputs = 3,
                                   int units = 2) {
  return {tensor(prefix + "weight_ih_l0", {gates * units, inputs}),
          tensor(prefix + "weight_hh_l0", {gates * units, units}),
          tensor(prefix + "bias_ih_l0", {gates * units}, 10),
          tensor(prefix + "bias_hh_l0", {gates * units}, 100)};
}

// A GRU of 3 inputs and 2 units, and a linear layer.
std::vector<io::Tensor> gru() {
  std::vector<io::Tensor> all = recurrence("gru.", 3);
  all.push_back(tensor("fc.weight", {4, 2}));
  all.push_back(tensor("fc.bias", {4}));
  return all;
}

class TorchImport : public ::testing::Test {
 protected:
  Model imported(const std::vector<io::Tensor>& tensors, const ImportOptions& options = {}) {
    io::write_safetensors(file(), {{{"format", "pt"}}, tensors});
    return import_torch(file(), options);
  }
  Model imported_with(std::vector<io::Tensor> tensors, const io::Tensor& another,
                      const ImportOptions& options = {}) {
    tensors.push_back(another);
    return imported(tensors, options);
  }
  template <class Error = ModelFileError>
  void refuse(const std::vector<io::Tensor>& tensors, std::initializer_list<std::string_view> parts,
              const ImportOptions& options = {}) {
    expect_error<Error>([&] { imported(tensors, options); }, {"expected"});
    expect_error<Error>([&] { imported(tensors, options); }, parts);
    try {
      imported(tensors, options);
    } catch (const Error& error) {  // no command-line options: other callers have none
      EXPECT_EQ(std::string_view(error.what()).find("--"), std::string_view::npos) << error.what();
    }
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "w.safetensors"; }

  io::TempFolder folder_;
};

std::vector<float> values(const Model& model, const std::string& name) {
  const auto parameters = model.parameters();
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return {found->values.begin(), found->values.end()};
}

io::Tensor& named(std::vector<io::Tensor>& tensors, std::string_view name) {
  return *std::ranges::find(tensors, name, &io::Tensor::name);
}

std::vector<io::Tensor> without(std::vector<io::Tensor> tensors, std::string_view name) {
  std::erase_if(tensors, [&](const io::Tensor& t) { return t.name == name; });
  return tensors;
}

TEST_F(TorchImport, KeepsBothBiasesOfAGrusCandidate) {
  const Model model = imported(gru(), {.readout = Readout::kMean, .loss = Loss::kSigmoid});
  const ModelConfig& config = model.config();
  EXPECT_EQ(config.cell, Cell::kGru);
  EXPECT_EQ(config.inputs, 3);
  EXPECT_EQ(config.units, 2);
  EXPECT_EQ(config.outputs, 4);
  EXPECT_EQ(config.readout, Readout::kMean);
  EXPECT_EQ(config.loss, Loss::kSigmoid);
  EXPECT_EQ(values(model, "layers.0.weight_x"), tensor("", {6, 3}).values);
  EXPECT_EQ(values(model, "layers.0.weight_h"), tensor("", {6, 2}).values);
  EXPECT_EQ(values(model, "layers.0.bias"),
            (std::vector<float>{110, 112, 114, 116, 104, 105, 14, 15}));
  EXPECT_EQ(values(model, "output.weight"), tensor("", {4, 2}).values);
}

TEST_F(TorchImport, AddsTheBiasesOfAnLstm) {
  std::vector<io::Tensor> all = recurrence("", 4);
  const Model model = imported(all, {.no_head = true});
  EXPECT_EQ(model.config().cell, Cell::kLstm);
  EXPECT_EQ(values(model, "layers.0.bias"),
            (std::vector<float>{110, 112, 114, 116, 118, 120, 122, 124}));
  EXPECT_EQ(values(model, "output.weight"), (std::vector<float>{1, 0, 0, 1}));
}

TEST_F(TorchImport, TakesAnEmbeddingByItsName) {
  const Model model = imported_with(gru(), tensor("word_embedding.weight", {7, 3}));
  EXPECT_EQ(model.config().input, Input::kSymbols);
  EXPECT_EQ(model.config().inputs, 7);
  EXPECT_EQ(model.config().embedding, 3);
  const auto other = tensor("words.weight", {7, 3});
  expect_error<ModelFileError>([&] { imported_with(gru(), other); },
                               {"\"words.weight\" [7, 3] has no place", "expected"});
  EXPECT_EQ(imported_with(gru(), other, {.embedding = "words."}).config().embedding, 3);
  expect_error<ConfigError>(
      [&] { imported_with(gru(), other, {.embedding = "fc"}); },
      {"the option embedding is \"fc\"", "expected an embedding with embedding_dim = 3"});
}

TEST_F(TorchImport, AsksWhichWhereSeveralFit) {
  std::vector<io::Tensor> all = gru();
  all.push_back(tensor("other.weight", {5, 2}));
  all.push_back(tensor("other.bias", {5}));
  refuse<ConfigError>(all, {"found 2", "expected the option head to name one of: fc, other"});
  EXPECT_EQ(imported(all, {.head = "other"}).config().outputs, 5);
  EXPECT_EQ(imported(all, {.no_head = true}).config().outputs, 2);
  refuse<ConfigError>(all, {"the option head is \"none\"", "fc, other"}, {.head = "none"});
  refuse<ConfigError>(all, {"the options head and no_head are both given"},
                      {.head = "fc", .no_head = true});
  const auto second = recurrence("a.b.", 4);
  all.insert(all.end(), second.begin(), second.end());
  refuse<ConfigError>(all, {"found 2", "expected the option rnn to name one of: gru, a.b"});
  EXPECT_EQ(imported(all, {.rnn = "a.b", .head = "fc"}).config().cell, Cell::kLstm);
  refuse<ConfigError>(gru(), {"attention"}, {.readout = Readout::kAttention});
}

TEST_F(TorchImport, RefusesWhatIsNoSuchNetwork) {
  refuse({tensor("conv.weight", {3, 3})}, {"no tensor *.weight_ih_l0"});
  refuse(recurrence("rnn.", 1), {"weight_hh_l0\" has shape [2, 2]", "torch.nn.RNN"});
  refuse(recurrence("rnn.", 2), {"has shape [4, 2], expected 4 rows"});
  refuse(recurrence("rnn.", 4), {"no linear layer on top", "[outputs, 2]", "the option no_head"});
  expect_error<ModelFileError>(
      [&] {
        imported_with(gru(), tensor("fc2.weight", {2, 4}));
      },
      {"\"fc2.weight\" [2, 4] has no place"});
  expect_error<ModelFileError>(
      [&] {
        imported_with(gru(), tensor("gru.weight_hr_l0", {1, 2}));
      },
      {"proj_size"});
  expect_error<ModelFileError>(
      [&] {
        imported_with(gru(), tensor("gru.weight_ih_l2", {6, 2}));
      },
      {"no tensor \"gru.weight_ih_l1\"", "[6, 2]"});
}

TEST_F(TorchImport, RefusesShapesThatDisagree) {
  for (const char* name : {"gru.weight_hh_l0", "gru.bias_ih_l0", "gru.bias_hh_l0"}) {
    refuse(without(gru(), name), {"has no tensor", name});
  }
  const auto with = [&](std::string_view name, Shape shape) {
    std::vector<io::Tensor> all = gru();
    named(all, name) = tensor(std::string(name), std::move(shape));
    return all;
  };
  refuse(with("gru.weight_ih_l0", {8, 3}), {"weight_ih_l0\" has shape [8, 3], expected [6, 3]"});
  refuse(with("gru.weight_ih_l0", {18}), {"expected 2 dimensions"});
  refuse(with("gru.bias_ih_l0", {5}), {"bias_ih_l0\" has shape [5], expected [6]"});
  refuse(with("fc.bias", {3}), {"fc.bias\" has shape [3], expected [4]"});
  refuse(with("fc.weight", {4, 3}), {"no linear layer on top", "[outputs, 2]"});
}

TEST_F(TorchImport, KnowsOtherFiles) {
  Model({.inputs = 3, .units = 2}).save(file());
  expect_error<ModelFileError>([&] { import_torch(file()); }, {"already a model of rwa"});
  io::put(file(), "PK\x03\x04 and so on");
  expect_error<ModelFileError>([&] { import_torch(file()); }, {"torch.save()", "save_file"});
  io::put(file(), "");
  expect_error<ModelFileError>([&] { import_torch(file()); }, {"0 bytes"});
  expect_error<ResourceError>([&] { import_torch(folder_.path() / "none"); }, {"none"});
}

}  // namespace
}  // namespace rwa::exports
