// cli/export_command.cc: `rwa export`: a model in the formats of other programs.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "commands.h"
#include "export/onnx.h"
#include "export/torch_module.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "say.h"
#include "training/run_folder.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa export runs/vowels --onnx vowels.onnx         for ONNX Runtime, also in a browser\n"
    "  rwa export runs/load --onnx step.onnx --step      one step at a time, with a state\n"
    "  rwa export model.safetensors --torch network.py   for PyTorch; weights beside it\n"
    "\n"
    "ONNX, whole sequences: inputs x [T,B,D] (float) or symbols [T,B] (int64), and lengths [B]\n"
    "(int64); T steps, B sequences. Outputs y, [B,O] or [T,B,O], as the network gives them, and\n"
    "probabilities, or of numbers values in their own unit. A decoder also wants how many steps\n"
    "to say, steps (int64), and y is [steps,B,O].\n"
    "With --step: inputs x [B,D] or symbols [B], and state [B,S]; the output next_state is the\n"
    "state of the next step. Where a sequence begins, it is \"initial_state\" of the metadata.\n"
    "x are the numbers of the files: what the model knows of their means and scales is in the\n"
    "graph. Names of features, symbols and outputs are in the metadata, as JSON.";

struct ExportCommand {
  fs::path model, onnx, torch;
  exports::OnnxOptions options;
};

void print_written(const fs::path& file, const Model& model, std::string_view what) {
  fmt::print("{}: {} weights, {}\n", file.string(),
             count(static_cast<std::int64_t>(model.parameter_count())), what);
}

void export_model(const ExportCommand& command) {
  if (command.onnx.empty() == command.torch.empty()) {
    throw ConfigError("expected one of --onnx FILE and --torch FILE: what to write");
  }
  const Model model = Model::load(training::model_file(command.model));
  if (!command.torch.empty()) {
    exports::export_torch(model, command.torch);
    print_written(command.torch, model, "a module of PyTorch");
  } else {
    exports::export_onnx(model, command.onnx, command.options);
    print_written(command.onnx, model,
                  command.options.step ? "one step of a stream" : "whole sequences");
  }
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<ExportCommand>();
  auto* command = app.add_subcommand("export", "Write a model for ONNX Runtime or PyTorch");
  command
      ->add_option("MODEL", options->model,
                   "A model, or the folder that rwa train has written it to")
      ->required();
  command->add_option("--onnx", options->onnx, "An ONNX file to write")->option_text("FILE");
  auto* torch = command->add_option("--torch", options->torch,
                                    "A Python file to write; its weights will be beside it");
  torch->option_text("FILE");
  command->add_flag("--step", options->options.step, "ONNX: one step of a stream, with its state")
      ->excludes(torch);
  command->footer(kExample);
  command->callback([options] { export_model(*options); });
}

}  // namespace rwa::cli
