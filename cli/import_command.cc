// cli/import_command.cc: `rwa import`: makes a model from the weights of a PyTorch network.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "commands.h"
#include "export/torch_import.h"
#include "report/text.h"
#include "rwa/model.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa import network.safetensors --out model.safetensors\n"
    "  rwa import network.safetensors --rnn encoder.lstm --head classifier --readout mean \\\n"
    "    --out model.safetensors\n"
    "\n"
    "Imports torch.nn.LSTM and torch.nn.GRU with any number of layers, uni- or bidirectional, "
    "with\n"
    "a torch.nn.Linear on top and optionally a torch.nn.Embedding below. Save the weights with\n"
    "  safetensors.torch.save_file(network.state_dict(), \"network.safetensors\")\n"
    "\n"
    "Weights alone do not define a network: --readout and --loss give the rest. With --readout "
    "last\n"
    "the reverse direction is read at the first step, as in PyTorch's h_n. The model then "
    "computes\n"
    "what the PyTorch network computes. If a part is named, other candidates for it are ignored;\n"
    "any other unused tensor is an error.";

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
  const auto parameters = static_cast<std::int64_t>(model.parameter_count());
  fmt::print("{}: {}\n", command.out.string(), report::counted(parameters, "parameter"));
  for (const NetworkPart& part : describe(model.config())) {
    fmt::print("  {}, {}\n", part.what, part.shape);
  }
}

}  // namespace

void add_import_command(const Command& app) {
  auto options = std::make_shared<ImportCommand>();
  exports::ImportOptions& imported = options->options;
  const auto command = app.add_command("import", "Import the weights of a PyTorch network");
  command.add_option("FILE", options->file, "Weights in safetensors format").required();
  command.add_option("--out", options->out, "Model file to write").required().value_name("MODEL");
  const auto add_prefix = [&](const char* name, auto& prefix, const char* description) {
    return command.add_option(name, prefix, description).value_name("PREFIX");
  };
  add_prefix("--rnn", imported.rnn, "Name of the LSTM or GRU, if there are several");
  const auto head = add_prefix("--head", imported.head,
                               "Name of the linear layer on top, if several are possible");
  add_prefix("--embedding", imported.embedding, "Name of the embedding, if rwa does not find it");
  command.add_flag("--no-head", imported.no_head, "No linear layer: the units are the outputs")
      .excludes(head);
  command.add_option("--readout", options->readout, "Steps the head sees: last, every or mean")
      .show_default();
  command.add_option("--loss", options->loss, "Loss: softmax, sigmoid or squared-error")
      .show_default();
  command.set_footer(kExample);
  command.set_action([options] { import_weights(*options); });
}

}  // namespace rwa::cli
