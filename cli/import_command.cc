// cli/import_command.cc: `rwa import`: the weights of a PyTorch network as a model.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "commands.h"
#include "export/torch_import.h"
#include "rwa/model.h"
#include "say.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa import network.safetensors --out model.safetensors\n"
    "  rwa import network.safetensors --rnn encoder.lstm --head classifier --readout mean \\\n"
    "    --out model.safetensors\n"
    "\n"
    "For torch.nn.LSTM and torch.nn.GRU, of any layers, one or both ways, with a torch.nn.Linear\n"
    "on top and perhaps a torch.nn.Embedding below; in Python:\n"
    "  safetensors.torch.save_file(network.state_dict(), \"network.safetensors\")\n"
    "What the weights do not say, the options do: which steps the linear layer sees (the last of\n"
    "the reverse direction is the sequence's first, as in PyTorch's h_n) and what its outputs\n"
    "are. The model then gives what PyTorch gives. Where a part is named, others that would fit\n"
    "are left out; anything else in the file is refused.";

struct ImportCommand {
  std::filesystem::path file, out;
  std::string readout = "last", loss = "softmax";
  exports::ImportOptions options;
};

void import_weights(ImportCommand& command) {
  command.options.readout = parse_readout(command.readout);
  command.options.loss = parse_loss(command.loss);
  const Model model = exports::import_torch(command.file, command.options);
  model.save(command.out);
  fmt::print("{}: {} weights\n", command.out.string(),
             count(static_cast<std::int64_t>(model.parameter_count())));
  for (const NetworkPart& part : describe(model.config())) {
    fmt::print("  {}, {}\n", part.what, part.shape);
  }
}

}  // namespace

void add_import_command(CLI::App& app) {
  auto options = std::make_shared<ImportCommand>();
  exports::ImportOptions& imported = options->options;
  auto* command = app.add_subcommand("import", "Make a model of a PyTorch network's weights");
  command->add_option("FILE", options->file, "The weights, in safetensors form")->required();
  command->add_option("--out", options->out, "The model")->required()->option_text("MODEL");
  const auto add_prefix = [&](const char* name, auto& prefix, const char* description) {
    return command->add_option(name, prefix, description)->option_text("PREFIX");
  };
  add_prefix("--rnn", imported.rnn, "The LSTM or GRU, where there are several");
  auto* head =
      add_prefix("--head", imported.head, "The linear layer on top of it, where several would fit");
  add_prefix("--embedding", imported.embedding, "The embedding, where it is not called so");
  command->add_flag("--no-head", imported.no_head, "The outputs are the units themselves")
      ->excludes(head);
  command->add_option("--readout", options->readout, "last, every or mean: the steps it sees")
      ->capture_default_str();
  command->add_option("--loss", options->loss, "softmax, sigmoid or squared-error")
      ->capture_default_str();
  command->footer(kExample);
  command->callback([options] { import_weights(*options); });
}

}  // namespace rwa::cli
