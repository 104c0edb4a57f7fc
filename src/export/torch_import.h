// src/export/torch_import.h: imports the weights of a PyTorch network from a safetensors file: a
// torch.nn.LSTM or torch.nn.GRU with a linear layer on top and optionally an embedding below, with
// the tensor names of its state_dict().
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "rwa/model.h"

namespace rwa::exports {

struct ImportOptions {
  // Prefixes of the tensors' names: "lstm" for lstm.weight_ih_l0. Default: the only part that fits.
  // Other parts that would fit are ignored.
  std::optional<std::string> rnn = {}, head = {}, embedding = {};
  bool no_head = false;                 // the outputs are the hidden state
  std::optional<Readout> readout = {};  // default: last. Not attention, which torch.nn lacks
  std::optional<Loss> loss = {};        // default: softmax
};

// Returns a model with the outputs of the PyTorch network, up to rounding errors. F16, BF16 and F64
// are converted to F32. Throws ModelFileError if the file is truncated or not such a network,
// ConfigError if the options do not fit it, ResourceError if it cannot be read.
Model import_torch(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace rwa::exports
