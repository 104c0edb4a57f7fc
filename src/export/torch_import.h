// src/export/torch_import.h: a model from the weights of a PyTorch network: torch.nn.LSTM or
// torch.nn.GRU with a linear layer on top and perhaps an embedding below, as its state_dict() names
// them, in a safetensors file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "rwa/model.h"

namespace rwa::exports {

struct ImportOptions {
  // What stands before the names of a part's tensors: "lstm" of lstm.weight_ih_l0. Without it, the
  // only one that fits is taken; with it, others that would fit are left out.
  std::optional<std::string> rnn = {}, head = {}, embedding = {};
  bool no_head = false;              // the outputs are the units themselves
  Readout readout = Readout::kLast;  // any but attention, whose score PyTorch's parts do not have
  Loss loss = Loss::kSoftmax;
};

// The model gives what PyTorch's network gives, up to the rounding of floats; F16, BF16 and F64
// become F32. Throws ModelFileError for a file that is not whole or not such a network, ConfigError
// for options that do not fit it, ResourceError where the file cannot be read.
Model import_torch(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace rwa::exports
