#include "export/torch_module_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "export/torch_module_data.h"
#include "export/torch_module_render.h"
#include "export/torch_module_weights.h"

namespace rwa::exports {
namespace {

// What the network does, a line for each of its parts.
std::string parts_of(const ModelConfig& config) {
  const std::vector<Part> parts = describe(config);
  std::size_t width = 0;
  for (const Part& part : parts) width = std::max(width, part.what.size());
  std::string text;
  for (const Part& part : parts) {
    if (!text.empty()) text += '\n';
    text += fmt::format("    {:<{}}  {}", part.what, width, part.shape);
  }
  return text;
}

// The last words of torch.nn.LSTM(inputs, units, …).
std::string library_options(const ModelConfig& config, int layers, bool both) {
  std::string text;
  if (layers > 1) text += fmt::format(", num_layers={}", layers);
  if (both) text += ", bidirectional=True";
  if (config.dropout > 0) text += fmt::format(", dropout={}", config.dropout);
  return text;
}

// How many numbers each layer sees, as a list.
std::string seen_by(int layers, int first, int others) {
  if (layers == 2) return fmt::format("[{}, {}]", first, others);
  return fmt::format("[{}] + [{}] * {}", first, others, layers - 1);
}

std::string_view unit_of(Loss loss) {
  switch (loss) {
    case Loss::kSoftmax:
      return "scores before softmax";
    case Loss::kSigmoid:
      return "scores before sigmoid";
    case Loss::kSquaredError:
      break;
  }
  return "numbers";
}

// What the output layer, or a decoder, sees: the name of a variable of forward().
std::string_view variable_of(Readout readout) {
  switch (readout) {
    case Readout::kLast:
      return "last";
    case Readout::kMean:
      return "mean";
    case Readout::kAttention:
      return "average";
    case Readout::kEvery:
      break;
  }
  return "h";
}

void fill_in_words(const ModelConfig& c, Filling& filling) {
  const auto when = [&](std::string_view word, bool is_true = true) {
    if (is_true) filling.words.emplace(word);
  };
  when(to_string(c.cell));
  when(to_string(c.readout));
  when(to_string(c.loss));
  when("averages", c.cell != Cell::kLstm && c.cell != Cell::kGru);
  when(is_of_torch(c) ? "library" : "own");
  when("symbols", c.input == Input::kSymbols);
  when("embedding", c.embedding > 0);
  when("encoder", c.layers > 0);
  when("deep", c.layers > 1);
  when("both", c.bidirectional);
  when("dropout", c.dropout > 0);
  when("decoder", c.code > 0);
  // Past the ends of sequences PyTorch's own layers give zeros, which only an average would count.
  const bool averages = c.readout == Readout::kMean || c.readout == Readout::kAttention;
  when("masked", averages || !is_of_torch(c));
  const bool forgets = c.cell == Cell::kRwaForget || c.cell == Cell::kRwaDecay;
  when("functional", forgets || (c.input == Input::kSymbols && c.embedding == 0));
}

void fill_in_sizes(const ModelConfig& c, Filling& filling) {
  const int seen = c.embedding > 0 ? c.embedding : c.inputs;
  const int width = c.layers == 0 ? seen : c.units * (c.bidirectional ? 2 : 1);
  auto& values = filling.values;
  values["inputs"] = fmt::to_string(c.inputs);
  values["embedding"] = fmt::to_string(c.embedding);
  values["seen"] = fmt::to_string(seen);
  values["units"] = fmt::to_string(c.units);
  values["width"] = fmt::to_string(width);
  values["seen_by_layers"] = seen_by(c.layers, seen, width);
  values["seen_by_decoder"] = seen_by(c.layers, c.code, c.units);
  values["dropout"] = fmt::to_string(c.dropout);
  values["code"] = fmt::to_string(c.code);
  values["labels"] = fmt::to_string(c.outputs + 1);
  values["read_width"] = fmt::to_string(c.code > 0 ? c.units : width);
  values["outputs"] = fmt::to_string(c.outputs);
}

void fill_in_texts(const ModelConfig& c, Filling& filling) {
  const bool symbols = c.input == Input::kSymbols;
  const bool tanh = c.activation == Activation::kTanh;
  const bool lstm = c.cell == Cell::kLstm;
  auto& values = filling.values;
  values["parts"] = parts_of(c);
  values["said"] = c.code > 0 ? ", S steps of what is said" : "";
  values["unit"] = unit_of(c.loss);
  values["x"] = symbols ? "symbols" : "x";
  values["x_shape"] = symbols ? "[T,B]" : fmt::format("[T,B,{}]", c.inputs);
  values["y_shape"] = fmt::format("[{}B,{}]",
                                  c.readout == Readout::kEvery ? "T,"
                                  : c.code > 0                 ? "S,"
                                                               : "",
                                  c.outputs);
  values["reverse_parameter"] = c.bidirectional ? ", reverse: bool = False" : "";
  values["frozen"] = c.learned_decay ? "" : ", requires_grad=False";
  values["f_start"] = tanh ? "torch.tanh(self.start)" : "self.start";
  values["f_average"] = tanh ? "torch.tanh(average)" : "average";
  values["pad_packed_sequence"] = c.readout == Readout::kLast ? "" : ", pad_packed_sequence";
  values["Library"] = lstm ? "LSTM" : "GRU";
  values["library_options"] = library_options(c, c.layers, c.bidirectional);
  values["decoder_options"] = library_options(c, c.layers, false);
  values["last_state"] = lstm ? "(h, _)" : "h";
  values["last"] = c.bidirectional ? "torch.cat([h[-2], h[-1]], dim=1)" : "h[-1]";
  values["read"] = c.layers == 0 ? "mean" : variable_of(c.readout);
  values["example"] = symbols ? "torch.zeros(5, 2, dtype=torch.long)"
                              : fmt::format("torch.zeros(5, 2, {})", c.inputs);
  values["example_steps"] = c.code > 0 ? ", 3" : "";
}

}  // namespace

std::string torch_module_text(const ModelConfig& config,
                              const std::optional<datasets::Encoding>& encoding) {
  Filling filling;
  fill_in_words(config, filling);
  fill_in_sizes(config, filling);
  fill_in_texts(config, filling);
  if (encoding) fill_in_data(*encoding, filling);
  return render(kTorchModule, filling);
}

}  // namespace rwa::exports
