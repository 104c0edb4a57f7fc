// cli/export_command.cc: `rwa export`: writes a model as ONNX or as a PyTorch module.
#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "commands.h"
#include "export/onnx.h"
#include "export/torch_module.h"
#include "model_options.h"
#include "outputs.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "training/run_folder.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa export runs/vowels --onnx vowels.onnx         For ONNX Runtime, also in a browser\n"
    "  rwa export runs/load --onnx step.onnx --step      One step at a time, with a state\n"
    "  rwa export model.safetensors --torch network.py   For PyTorch, with network.safetensors\n"
    "\n"
    "ONNX graph of whole sequences (T steps, B sequences, D features, O outputs):\n"
    "  inputs   x [T,B,D] (float) or symbols [T,B] (int64); lengths [B] (int64)\n"
    "  outputs  y [B,O] or [T,B,O], the raw outputs, and the same as\n"
    "           probabilities (classes, labels) or values in the unit of the data (numbers)\n"
    "  A decoder also takes steps (int64), the output length; y is then [steps,B,O].\n"
    "\n"
    "ONNX graph of one step (--step):\n"
    "  inputs   x [B,D] or symbols [B]; state [B,N]\n"
    "  outputs  as above, and next_state, the state to pass with the next step\n"
    "  A sequence starts with \"initial_state\" from the metadata.\n"
    "\n"
    "x holds raw numbers: the graph standardises them. The metadata holds the names of features,\n"
    "symbols and outputs as JSON.";

struct ExportCommand {
  fs::path model, onnx, torch;
  exports::OnnxOptions options;
};

void print_written(const fs::path& file, const Model& model, std::string_view what) {
  const auto parameters = static_cast<std::int64_t>(model.parameter_count());
  fmt::print("{}: {}, {}\n", file.string(), what, report::counted(parameters, "parameter"));
}

void export_model(const ExportCommand& command) {
  if (command.onnx.empty() == command.torch.empty()) {
    throw ConfigError("expected one of --onnx FILE and --torch FILE");
  }
  refuse_input("--onnx", command.onnx, command.model, {});
  refuse_input("--torch", command.torch, command.model, {});
  const Model model = Model::load(training::model_file(command.model));
  if (!command.torch.empty()) {
    exports::export_torch(model, command.torch);
    print_written(command.torch, model, "PyTorch module");
  } else {
    exports::export_onnx(model, command.onnx, command.options);
    print_written(
        command.onnx, model,
        command.options.step ? "ONNX graph of one step" : "ONNX graph of whole sequences");
  }
}

}  // namespace

void add_export_command(const Command& app) {
  auto options = std::make_shared<ExportCommand>();
  const auto command = app.add_command("export", "Export a model to ONNX or PyTorch");
  add_model(command, options->model);
  command.add_option("--onnx", options->onnx, "Write an ONNX file").value_name("FILE");
  const auto torch = command.add_option(
      "--torch", options->torch, "Write a Python module, with its weights in a file beside it");
  torch.value_name("FILE");
  command.add_flag("--step", options->options.step, "ONNX: export a single step with its state")
      .excludes(torch);
  command.set_footer(kExample);
  command.set_action([options] { export_model(*options); });
}

}  // namespace rwa::cli
