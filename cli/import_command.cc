// cli/import_command.cc: `rwa import`: makes a model from the weights of a PyTorch network.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "export/torch_import.h"
#include "outputs.h"
#include "report/text.h"
#include "rwa/errors.h"
#include "rwa/model.h"
#include "settings_options.h"
#include "workflows/imported.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa import network.safetensors --out model.safetensors\n"
    "  rwa import network.safetensors --rnn encoder.lstm --head classifier --readout mean \\\n"
    "    --out model.safetensors\n"
    "  rwa import network.safetensors --data train.csv --target label --labels no,yes \\\n"
    "    --out model.safetensors\n"
    "\n"
    "Imports torch.nn.LSTM and torch.nn.GRU with any number of layers, uni- or bidirectional, "
    "with\n"
    "a torch.nn.Linear on top and optionally a torch.nn.Embedding below. Save the weights with\n"
    "  safetensors.torch.save_file(network.state_dict(), \"network.safetensors\")\n"
    "\n"
    "Weights alone do not define a network: --readout and --loss give the rest, and --data what\n"
    "the inputs and outputs mean, for rwa predict, evaluate, stream and explain. With --readout "
    "last\n"
    "the reverse direction is read at the first step, as in PyTorch's h_n. The model then "
    "computes\n"
    "what the PyTorch network computes. If a part is named, other candidates for it are ignored;\n"
    "any other unused tensor is an error.";

struct ImportCommand {
  std::filesystem::path file, out;
  std::optional<std::string> readout, loss;
  exports::ImportOptions options;
  // The network's data.
  std::vector<std::string> data;
  GivenSettings reading;
  workflows::NetworkData network;
  std::string standardise;
};

bool is_setting_of_data(const training::SettingInfo& setting) {
  return is_setting_of_files(setting) &&
         (setting.group == training::Group::kReading || setting.name == "missing");
}

Model import_with_data(ImportCommand& command) {
  io::Value::Array files;
  for (const std::string& file : command.data) files.push_back({file});
  training::Overrides settings = command.reading.overrides();
  settings.add(training::Overrides({{"task", {io::Value::Table{{"train", {std::move(files)}}}}}}));
  if (!command.standardise.empty()) {
    command.network.standardise = workflows::parse_standardised(command.standardise);
  }
  return workflows::import_torch(command.file, command.options, settings, command.network);
}

void refuse_without_data(const ImportCommand& command) {
  const workflows::NetworkData& network = command.network;
  if (command.reading.is_empty() && network.labels.empty() && network.symbols.empty() &&
      command.standardise.empty()) {
    return;
  }
  throw ConfigError("found options about the data of the network, but no data: use --data");
}

void import_weights(ImportCommand& command) {
  if (command.data.empty()) refuse_without_data(command);
  std::vector<std::filesystem::path> inputs(command.data.begin(), command.data.end());
  inputs.push_back(command.file);
  refuse_input("--out", command.out, inputs);
  if (command.readout) command.options.readout = parse_readout(*command.readout);
  if (command.loss) command.options.loss = parse_loss(*command.loss);
  const Model model = command.data.empty() ? exports::import_torch(command.file, command.options)
                                           : import_with_data(command);
  model.save(command.out);
  const auto parameters = static_cast<std::int64_t>(model.parameter_count());
  fmt::print("{}: {}\n", command.out.string(), report::counted(parameters, "parameter"));
  for (const NetworkPart& part : describe(model.config())) {
    fmt::print("  {}, {}\n", part.what, part.shape);
  }
}

// Only with --data.
void add_data_options(const Command& command, ImportCommand& options) {
  command
      .add_option("--data", options.data,
                  "The network's training data, so that rwa predict can read more of it")
      .value_name("DATA...")
      .group("Data");
  command
      .add_list("--labels", options.network.labels,
                "Classes in the order of the network's outputs (default: sorted)")
      .group("Data");
  command
      .add_list("--symbols", options.network.symbols,
                "Symbols in the order of the embedding (default: sorted)")
      .group("Data");
  command
      .add_option("--standardise", options.standardise,
                  fmt::format("Numbers that the network saw with mean 0 and deviation 1: none, "
                              "features, or all (targets too) [{}]",
                              to_string(workflows::kUsualStandardised)))
      .group("Data");
  options.reading.add_options(command, is_setting_of_data);
}

}  // namespace

void add_import_command(const Command& app) {
  auto options = std::make_shared<ImportCommand>();
  exports::ImportOptions& imported = options->options;
  const auto command = app.add_command("import", "Import the weights of a PyTorch network");
  command.add_option("FILE", options->file, "Weights in safetensors format")
      .required()
      .must_be_file();
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
  command.add_option("--readout", options->readout,
                     "Steps the head sees: last, every or mean (default: last, or as the data "
                     "needs)");
  command.add_option("--loss", options->loss,
                     "Loss: softmax, sigmoid or squared-error (default: softmax, or as the data "
                     "needs)");
  add_data_options(command, *options);
  command.set_footer(kExample);
  command.set_action([options] { import_weights(*options); });
}

}  // namespace rwa::cli
