#include "export/torch_text.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "export/torch_formula.h"

namespace rwa::exports {
namespace {

// -- Templates: text with conditional parts and placeholders --

// Removes the text up to and including `end` and returns it without `end`.
std::string_view take(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

bool holds(std::string_view words, const Filling& filling) {
  while (!words.empty()) {
    std::string_view word = take(words, ' ');
    const bool wanted = !word.starts_with('!');
    if (!wanted) word.remove_prefix(1);
    if (filling.words.contains(word) != wanted) return false;
  }
  return true;
}

// Appends the line with each @name@ replaced by its value.
void append_line(std::string_view line, const Filling& filling, std::string& out) {
  while (true) {
    out += take(line, '@');
    if (line.empty()) break;
    const std::string_view name = take(line, '@');
    const auto value = filling.values.find(name);
    if (value == filling.values.end()) {
      throw std::logic_error(fmt::format("the template has an unknown value @{}@", name));
    }
    out += value->second;
  }
  out += '\n';
}

// -- The network --

// The network's summary, one line per part.
std::string parts_of(const ModelConfig& config) {
  const std::vector<NetworkPart> parts = describe(config);
  std::size_t width = 0;
  for (const NetworkPart& part : parts) width = std::max(width, part.what.size());
  std::string text;
  for (const NetworkPart& part : parts) {
    if (!text.empty()) text += '\n';
    text += fmt::format("    {:<{}}  {}", part.what, width, part.shape);
  }
  return text;
}

// The last arguments of torch.nn.LSTM(inputs, units, …).
std::string library_options(const ModelConfig& config, int layers, bool both) {
  std::string text;
  if (layers > 1) text += fmt::format(", num_layers={}", layers);
  if (both) text += ", bidirectional=True";
  if (config.dropout > 0) text += fmt::format(", dropout={}", config.dropout);
  return text;
}

// The input sizes of the layers as a Python list.
std::string seen_by(int layers, int first, int others) {
  if (layers == 2) return fmt::format("[{}, {}]", first, others);
  return fmt::format("[{}] + [{}] * {}", first, others, layers - 1);
}

// The convolutions as items of a Python list, one per line.
std::string convolutions_of(const ModelConfig& config, int inputs) {
  std::string text;
  for (const int kernel : config.stem) {
    if (!text.empty()) text += '\n';
    text += fmt::format("                torch.nn.Conv1d({}, {}, kernel_size={}),", inputs,
                        config.channels, kernel);
    inputs = config.channels;
  }
  return text;
}

std::string_view unit_of(Loss loss) {
  switch (loss) {
    case Loss::kSoftmax:
      return "logits before softmax";
    case Loss::kSigmoid:
      return "logits before sigmoid";
    case Loss::kSquaredError:
    case Loss::kPinball:
      break;
  }
  return "values";
}

// The variable of forward() that the output layer or the decoder reads.
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
  const CellTraits& cell = cell_traits(c.cell);
  const bool is_written_out = !cell.torch_layers.empty();
  when(to_string(c.cell));
  when(to_string(c.readout));
  when(to_string(c.loss));
  when("averages", cell.averages && is_written_out);
  when("formula", !is_written_out);
  when(is_of_torch(c) ? "library" : "own");
  when("symbols", c.input == Input::kSymbols);
  when("embedding", c.embedding > 0);
  when("stem", !c.stem.empty());
  when("encoder", c.layers > 0);
  when("deep", c.layers > 1);
  when("both", c.bidirectional);
  when("dropout", c.dropout > 0);
  when("decoder", c.code > 0);
  // PyTorch's layers output zeros past the end of a sequence; only an average must mask them.
  const bool averages = c.readout == Readout::kMean || c.readout == Readout::kAttention;
  when("masked", averages || !is_of_torch(c));
  const bool forgets = cell.spread_bias >= 0;
  when("functional", (forgets && is_written_out) ||
                         (c.input == Input::kSymbols && c.embedding == 0) || !c.stem.empty());
}

void fill_in_sizes(const ModelConfig& c, Filling& filling) {
  const int embedded = c.embedding > 0 ? c.embedding : c.inputs;
  const int seen = c.stem.empty() ? embedded : c.channels;
  const int width = c.layers == 0 ? seen : c.units * (c.bidirectional ? 2 : 1);
  auto& values = filling.values;
  values["inputs"] = fmt::to_string(c.inputs);
  values["embedding"] = fmt::to_string(c.embedding);
  values["convolutions"] = convolutions_of(c, embedded);
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
  const CellTraits& cell = cell_traits(c.cell);
  auto& values = filling.values;
  values["parts"] = parts_of(c);
  values["said"] = c.code > 0 ? ", S: decoded steps" : "";
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
  values["Library"] = is_of_torch(c) ? cell.torch : "";
  values["library_options"] = library_options(c, c.layers, c.bidirectional);
  values["decoder_options"] = library_options(c, c.layers, false);
  values["last_state"] = cell.state_is_output ? "h" : "(h, _)";
  values["last"] = c.bidirectional ? "torch.cat([h[-2], h[-1]], dim=1)" : "h[-1]";
  values["read"] = c.layers == 0 ? "mean" : variable_of(c.readout);
  values["example"] = symbols ? "torch.zeros(5, 2, dtype=torch.long)"
                              : fmt::format("torch.zeros(5, 2, {})", c.inputs);
  values["example_steps"] = c.code > 0 ? ", 3" : "";
}

// The class Layer of a cell that the template does not write out.
void fill_in_formula(const ModelConfig& config, Filling& filling) {
  LayerText text = layer_text(config);
  filling.values["cell"] =
      fmt::format("The cell {}: {}", to_string(config.cell), cell_info(config.cell).description);
  filling.values["init"] = std::move(text.init);
  filling.values["begin"] = std::move(text.begin);
  filling.values["step"] = std::move(text.step);
}

// -- The data that the network was trained on --

using formats::Target;

// A Python string literal; JSON escapes the same characters in the same way.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::vector<std::string> quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(quoted(text));
  return all;
}

std::vector<std::string> in_digits(const std::vector<double>& numbers) {
  std::vector<std::string> all;
  for (const double number : numbers) all.push_back(fmt::format("{}", number));
  return all;
}

// NAME = [a, b, …] under a comment, on several lines if one is too long.
std::string constant(std::string_view name, const std::vector<std::string>& values,
                     std::string_view what = {}) {
  constexpr std::size_t kColumns = 100;
  std::string text = what.empty() ? std::string{} : fmt::format("# {}\n", what);
  const std::string one_line = fmt::format("{} = [{}]", name, fmt::join(values, ", "));
  if (one_line.size() <= kColumns) return text + one_line + "\n";
  text += fmt::format("{} = [", name);
  std::size_t column = kColumns;
  for (const std::string& value : values) {
    if (column + value.size() + 2 > kColumns) {
      text += "\n   ";
      column = 3;
    }
    text += " " + value + ",";
    column += value.size() + 2;
  }
  return text + "\n]\n";
}

std::string pair_of(const char* name, const datasets::Normal& normal, const char* comment) {
  const auto list = [](const std::vector<double>& values) {
    return fmt::format("[{}]", fmt::join(in_digits(values), ", "));
  };
  return constant(name, {list(normal.mean), list(normal.scale)}, comment);
}

std::string constants_of_numbers(const datasets::Encoding& encoding) {
  const auto& features = encoding.schema.features;
  if (encoding.scale == datasets::Scale::kSequence) {
    const datasets::OwnScale& own = encoding.own;
    return constant("FEATURES", quoted(features), "The features of a step.") +
           constant("LEAST", in_digits(own.least), "A smaller deviation counts as this.") +
           pair_of("MEANS", own.means, "Mean and deviation of the training sequences' means.") +
           pair_of("DEVIATIONS", own.deviations, "The same of the logarithms of deviations.");
  }
  const datasets::Normal normal = encoding.of_numbers();
  std::string text = constant("FEATURES", quoted(features),
                              "The features of a step; the network sees (x - MEAN) / SCALE.");
  text += constant("MEAN", in_digits(normal.mean));
  text += constant("SCALE", in_digits(normal.scale));
  if (encoding.scale == datasets::Scale::kNone && encoding.missing != datasets::Missing::kRefuse) {
    text += constant("MISSING", in_digits(encoding.features.mean), "Stands for missing values.");
  }
  return text;
}

std::string constants(const datasets::Encoding& encoding) {
  const formats::Schema& schema = encoding.schema;
  std::string text;
  if (schema.symbols) {
    text +=
        constant("ALPHABET", quoted(encoding.alphabet),
                 encoding.unknown ? "The vocabulary, in the network's order; the last stands for "
                                    "unknown symbols."
                                  : "The vocabulary, in the network's order.");
  } else {
    text += constants_of_numbers(encoding);
  }
  if (!encoding.labels.empty()) {
    text += constant("LABELS", quoted(encoding.labels), "The names of the outputs.");
  } else if (!schema.targets.empty()) {
    text += constant("TARGETS", quoted(schema.targets),
                     "The names of the outputs, which are (y - TARGET_MEAN) / TARGET_SCALE.");
    text += constant("TARGET_MEAN", in_digits(encoding.targets.mean));
    text += constant("TARGET_SCALE", in_digits(encoding.targets.scale));
  }
  const datasets::Widening& widening = encoding.widening;
  if (widening.context > 1)
    text += fmt::format("CONTEXT = {}  # steps that the network sees at once\n", widening.context);
  if (widening.positions > 0) {
    text += fmt::format("POSITIONS = {}  # features that encode a step's position\nSPAN = {}\n",
                        widening.positions, widening.span);
  }
  text.pop_back();
  return text;
}

// The constant with the outputs' names.
std::string names_of_outputs(const datasets::Encoding& encoding) {
  if (!encoding.labels.empty()) return "LABELS";
  if (encoding.schema.target != Target::kNone) return "TARGETS";
  return encoding.schema.symbols ? "ALPHABET" : "FEATURES";
}

void fill_in_data(const datasets::Encoding& encoding, Filling& filling) {
  const formats::Schema& schema = encoding.schema;
  const datasets::Widening& widening = encoding.widening;
  const bool every = encoding.answers_every_step();
  const bool numbers = encoding.shape().loss == Loss::kSquaredError;
  const auto when = [&](const char* word, bool is_true) {
    if (is_true) filling.words.insert(word);
  };
  when("data", true);
  when("of-symbols", schema.symbols);
  when("unknown", encoding.unknown);
  when("missing", encoding.missing != datasets::Missing::kRefuse);
  when("missing-previous", encoding.missing == datasets::Missing::kPrevious);
  when("own-scale", encoding.scale == datasets::Scale::kSequence);
  when("no-scale", encoding.scale == datasets::Scale::kNone);
  when("widened", widening.is_needed());
  when("functional", schema.symbols && widening.is_needed());
  when("context", widening.context > 1);
  when("positions", widening.positions > 0);
  auto& values = filling.values;
  values["constants"] = constants(encoding);
  values["names"] = names_of_outputs(encoding);
  values["rounding"] = fmt::format("{}", datasets::kRounding);
  values["answer"] = schema.target == Target::kNone ? "" : "TARGET_";
  values["answer_type"] = every ? "list[dict[str, float]]" : "dict[str, float]";
  values["answers"] =
      fmt::format("Return the {} of {}{}", numbers ? "values" : "probabilities", values["names"],
                  schema.target == Target::kNone ? " at each next step"
                  : every                        ? " at each step"
                                                 : "");
  const bool words = encoding.tokens == formats::Tokens::kWords;
  values["sequence_type"] = !schema.symbols ? "list[list[float]]"
                            : words         ? "list[str]"
                                            : "list[str] | str";
  values["steps_are"] = !schema.symbols ? "rows of FEATURES" : words ? "words" : "symbols";
  values["one"] = every ? "[:, 0]" : "[0]";
}

}  // namespace

std::string render(std::string_view text, const Filling& filling) {
  constexpr std::string_view kIf = "#if ", kElse = "#else", kEnd = "#end", kNote = "#:";
  std::string out;
  std::vector<bool> stays;  // one entry per open #if
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.starts_with(kIf)) {
      stays.push_back(holds(line.substr(kIf.size()), filling));
    } else if (line == kElse || line == kEnd) {
      if (stays.empty()) {
        throw std::logic_error(fmt::format("the template has {} without #if", line));
      }
      if (line == kElse) {
        stays.back() = !stays.back();
      } else {
        stays.pop_back();
      }
    } else if (!line.starts_with(kNote) && std::ranges::count(stays, false) == 0) {
      append_line(line, filling, out);
    }
  }
  if (!stays.empty()) throw std::logic_error("the template has #if without #end");
  return out;
}

bool is_of_torch(const ModelConfig& config) {
  return cell_traits(config.cell).torch != nullptr && config.activation == Activation::kTanh;
}

std::string torch_module_text(const ModelConfig& config,
                              const std::optional<datasets::Encoding>& encoding) {
  Filling filling;
  fill_in_words(config, filling);
  fill_in_sizes(config, filling);
  fill_in_texts(config, filling);
  if (cell_traits(config.cell).torch_layers.empty()) fill_in_formula(config, filling);
  if (encoding) fill_in_data(*encoding, filling);
  return render(kTorchModule, filling);
}

}  // namespace rwa::exports
