// src/model/describe.cc: describes a network: the names and shapes of its parameters, and a table
// of its parts.
#include <fmt/format.h>

#include "base/counted.h"
#include "model/network_spec.h"

namespace rwa {
namespace {
using Shape = std::vector<std::int64_t>;

class Parameters {
 public:
  void add(std::string name, Shape shape, std::size_t offset) {
    std::size_t size = 1;
    for (const auto n : shape) size *= static_cast<std::size_t>(n);
    all_.push_back({std::move(name), std::move(shape), offset, size});
  }
  void add(const std::string& name, const Placed<TableSpec>& table) {
    add(name + ".weight", {table.symbols, table.width}, table.offset);
  }
  void add(const std::string& name, const Placed<DenseSpec>& dense) {
    add(name + ".weight", {dense.outputs, dense.inputs}, dense.offset);
    add(name + ".bias", {dense.outputs}, dense.offset + dense.bias());
  }
  void add(const std::string& name, const Placed<RecurrentSpec>& layer) {
    const CellTraits& cell = layer.traits();
    const std::int64_t units = layer.units;
    add(name + ".weight_x", {cell.x.count() * units, layer.inputs},
        layer.offset + layer.weight_x());
    add(name + ".weight_h", {cell.h.count() * units, units}, layer.offset + layer.weight_h());
    add(name + ".bias", {cell.bias.count() * units}, layer.offset + layer.bias());
    if (cell.learned_start) add(name + ".start", {units}, layer.offset + layer.start());
  }
  void add(const std::string& name, const StackSpec& stack) {
    for (std::size_t l = 0; l < stack.layers.size(); ++l) {
      for (const auto& direction : stack.layers[l].directions) {
        add(fmt::format("{}.{}{}", name, l, direction.reverse ? ".reverse" : ""), direction);
      }
    }
  }

  [[nodiscard]] std::vector<ParameterInfo> take() { return std::move(all_); }

 private:
  std::vector<ParameterInfo> all_;
};

class Lines {
 public:
  void add(std::string name, std::string what, std::string shape, std::size_t parameters) {
    all_.push_back({std::move(name), std::move(what), std::move(shape), parameters});
  }
  // `steps` stands for the number of steps in shapes.
  void add(const std::string& name, std::string_view steps, const StackSpec& stack) {
    for (std::size_t l = 0; l < stack.layers.size(); ++l) {
      const LayerSpec& layer = stack.layers[l];
      const RecurrentSpec& first = layer.directions.front();
      std::size_t parameters = 0;
      for (const auto& direction : layer.directions) parameters += direction.parameters();
      const bool hides = stack.dropout > 0 && l + 1 < stack.layers.size();
      add(fmt::format("{}.{}", name, l),
          fmt::format("{}, {}, {}{}{}{}", to_string(first.cell), to_string(first.activation),
                      counted(first.units, "unit"),
                      layer.directions.size() > 1 ? ", bidirectional" : "",
                      first.symbols ? ", one-hot" : "",
                      hides ? fmt::format(", dropout {}", stack.dropout) : ""),
          fmt::format("[{},B,{}]", steps, layer.width()), parameters);
    }
  }

  [[nodiscard]] std::vector<NetworkPart> take() { return std::move(all_); }

 private:
  std::vector<NetworkPart> all_;
};

std::string_view what_is_read(Readout readout) {
  switch (readout) {
    case Readout::kEvery:
      return "every step";
    case Readout::kMean:
      return "mean over all steps";
    case Readout::kAttention:
      return "average over all steps, weighted by a learned score";
    case Readout::kLast:
      break;
  }
  return "last step";
}
}  // namespace

std::vector<ParameterInfo> NetworkSpec::describe() const {
  Parameters all;
  if (encoder.embedding) all.add("embedding", *encoder.embedding);
  for (std::size_t i = 0; i < encoder.stem.convolutions.size(); ++i) {
    all.add(fmt::format("stem.{}", i), encoder.stem.convolutions[i].dense);
  }
  all.add("layers", encoder.stack);
  if (readout == Readout::kAttention) all.add("attention.weight", {encoder.width}, encoder.score);
  if (decoder) {
    all.add("code", decoder->code);
    all.add("decoder.embedding", decoder->labels);
    all.add("decoder.layers", decoder->stack);
  }
  all.add("output", output);
  return all.take();
}

std::vector<NetworkPart> NetworkSpec::parts() const {
  Lines all;
  const auto numbers = [&](int width) { return fmt::format("[T,B,{}]", width); };
  if (takes_symbols_) {
    all.add("input", counted(inputs_, "symbol"), "[T,B]", 0);
  } else {
    all.add("input", "features", numbers(inputs_), 0);
  }
  if (encoder.embedding) {
    all.add("embedding", "learned vector per symbol", numbers(encoder.embedding->width),
            encoder.embedding->parameters());
  }
  for (std::size_t i = 0; i < encoder.stem.convolutions.size(); ++i) {
    const ConvolutionSpec& convolution = encoder.stem.convolutions[i];
    all.add(fmt::format("stem.{}", i),
            fmt::format("convolution of {}, rectified", counted(convolution.kernel, "step")),
            numbers(convolution.dense.outputs), convolution.dense.parameters());
  }
  all.add("layers", "T", encoder.stack);
  const bool attends = readout == Readout::kAttention;
  all.add(
      attends ? "attention" : "readout", std::string(what_is_read(readout)),
      readout == Readout::kEvery ? numbers(encoder.width) : fmt::format("[B,{}]", encoder.width),
      attends ? static_cast<std::size_t>(encoder.width) : 0);
  if (decoder) {
    all.add("code", "fully connected", fmt::format("[B,{}]", decoder->code.outputs),
            decoder->code.parameters());
    all.add("decoder.embedding", "code plus a learned vector for the previous label",
            fmt::format("[S,B,{}]", decoder->labels.width), decoder->labels.parameters());
    all.add("decoder.layers", "S", decoder->stack);
  }
  const std::string_view steps = decoder ? "S,B" : readout == Readout::kEvery ? "T,B" : "B";
  all.add("output", fmt::format("fully connected, loss {}", to_string(loss.kind)),
          fmt::format("[{},{}]", steps, outputs()), output.parameters());
  return all.take();
}

}  // namespace rwa
