// tests/export/torch_module_test.cc: the files of an exported module, and errors.
// torch_module_test.py tests what the modules compute.
#include "export/torch_module.h"

#include <algorithm>
#include <fstream>

#include "datasets/encoding.h"
#include "export/torch_text.h"
#include "io/io_testing.h"
#include "io/read_file.h"
#include "io/safetensors.h"
#include "rwa/errors.h"

namespace rwa::exports {
namespace {

using io::expect_error;

TEST(Render, LeavesOutAndFillsIn) {
  const std::string_view text =
      "#: a note\n"
      "a @x@ b@x@\n"
      "#if one !two\n"
      "only one\n"
      "#if two\n"
      "both\n"
      "#else\n"
      "not two\n"
      "#end\n"
      "#else\n"
      "the rest\n"
      "#end\n"
      "# a comment\n";
  EXPECT_EQ(render(text, {{"one"}, {{"x", "@y@"}}}),
            "a @y@ b@y@\nonly one\nnot two\n# a comment\n");
  EXPECT_EQ(render(text, {{"one", "two"}, {{"x", ""}}}), "a  b\nthe rest\n# a comment\n");
}

TEST(Render, RefusesATextThatIsWrong) {
  EXPECT_THROW(render("@x@\n", {}), std::logic_error);
  EXPECT_THROW(render("#if a\n", {}), std::logic_error);
  EXPECT_THROW(render("#end\n", {}), std::logic_error);
}

TEST(TorchModule, HasExactlyItsNetwork) {
  const io::TempFolder folder;
  const auto file = folder.path() / "network.py";
  export_torch(Model({.inputs = 3, .units = 4, .outputs = 2}), file);
  const std::string text = io::read_text(file);
  for (const char* part : {"class Layer", "torch.logaddexp", "Layer(3, 4)", "Linear(4, 2)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  for (const char* part : {"reverse", "forget", "Embedding", "LSTM", "predict", "dropout"}) {
    EXPECT_EQ(text.find(part), std::string::npos) << part;
  }
  export_torch(Model({.inputs = 3, .cell = Cell::kGru, .units = 4, .outputs = 2}), file);
  EXPECT_NE(io::read_text(file).find("torch.nn.GRU(3, 4)"), std::string::npos);
  const io::TensorFile weights = io::read_safetensors(folder.path() / "network.safetensors");
  EXPECT_EQ(weights.metadata.at("format"), "pt");
  std::size_t count = 0;
  for (const io::Tensor& tensor : weights.tensors) count += tensor.values.size();
  // PyTorch has two biases for each of the two gates; rwa has their sum.
  EXPECT_EQ(
      count,
      Model({.inputs = 3, .cell = Cell::kGru, .units = 4, .outputs = 2}).parameter_count() + 8);
}

TEST(TorchModule, HasTheConvolutionsOfAStem) {
  const io::TempFolder folder;
  const auto file = folder.path() / "network.py";
  export_torch(Model({.inputs = 3, .stem = {7, 5}, .channels = 6, .cell = Cell::kGru, .units = 4}),
               file);
  const std::string text = io::read_text(file);
  for (const char* part :
       {"Conv1d(3, 6, kernel_size=7)", "Conv1d(6, 6, kernel_size=5)", "torch.nn.GRU(6, 4)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  const io::TensorFile weights = io::read_safetensors(folder.path() / "network.safetensors");
  const auto first = std::ranges::find(weights.tensors, "stem.0.weight", &io::Tensor::name);
  ASSERT_NE(first, weights.tensors.end());
  EXPECT_EQ(first->shape, (std::vector<std::int64_t>{6, 3, 7}));
}

TEST(TorchModule, ReplacesNoModel) {
  const io::TempFolder folder;
  const Model model({.inputs = 3, .units = 4});
  const auto of_model = folder.path() / "model.safetensors";
  model.save(of_model);
  const std::string before = io::read_text(of_model);
  expect_error<ConfigError>([&] { export_torch(model, folder.path() / "model.py"); },
                            {"model.py", "model.safetensors", "use another name"});
  EXPECT_EQ(io::read_text(of_model), before);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "model.py"));
  expect_error<ConfigError>([&] { export_torch(model, folder.path() / "model.txt"); },
                            {"expected a file name that ends in .py"});
}

TEST(TorchModule, WritesBothFilesOrNone) {
  const io::TempFolder folder;
  const Model model({.inputs = 3, .units = 4});
  std::filesystem::create_directory(folder.path() / "network.py");
  expect_error<ResourceError>([&] { export_torch(model, folder.path() / "network.py"); },
                              {"network.py"});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "network.safetensors"));
}

TEST(TorchModule, RefusesDataOfAnotherNetwork) {
  const io::TempFolder folder;
  Model model({.inputs = 3, .units = 4, .outputs = 2});
  const std::string note(datasets::kEncodingNote);
  datasets::Encoding encoding{.schema = {.features = {"x"}, .target = formats::Target::kClass},
                              .features = {.mean = {0}, .scale = {1}},
                              .labels = {"a", "b"}};
  model.set_note(note, datasets::to_json(encoding));
  const auto write = [&] { export_torch(model, folder.path() / "network.py"); };
  expect_error<ModelFileError>(write, {"has inputs 3", "expected 1"});
  model.set_note(note, "nothing");
  expect_error<ModelFileError>(write, {"data description"});
}

}  // namespace
}  // namespace rwa::exports
