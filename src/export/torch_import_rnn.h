// src/export/torch_import_rnn.h: the recurrent layers of a PyTorch network, in the form that ours
// have.
#pragma once

#include <string>
#include <vector>

#include "export/torch_import_tensors.h"
#include "rwa/types.h"

namespace rwa::exports {

// Parameters of a layer that reads one way, as a model has them.
struct Direction {
  std::vector<float> weight_x, weight_h, bias;
};

struct Rnn {
  Cell cell = Cell::kLstm;
  int inputs = 0, units = 0;
  std::vector<std::vector<Direction>> layers = {};  // forward and, where there is one, reverse

  [[nodiscard]] bool is_bidirectional() const { return layers.front().size() == 2; }
  [[nodiscard]] int width() const { return units * static_cast<int>(layers.front().size()); }
};

// What stands before ".weight_ih_l0", wherever that is found; nothing where the name is that alone.
std::vector<std::string> rnn_prefixes(const Tensors& tensors);

// Takes the tensors of the recurrence with that prefix, and those of all others: they are another
// network's.
Rnn read_rnn(Tensors& tensors, const std::string& prefix);

}  // namespace rwa::exports
