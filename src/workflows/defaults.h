// src/workflows/defaults.h: the settings of a first model. What is not given is chosen from the
// data, by the rules in defaults.cc, which were measured (docs/first-model.md). Precedence: defaults
// < chosen from the data < configuration file < options.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "datasets/files.h"
#include "rwa/link.h"
#include "training/experiment.h"
#include "training/settings.h"
#include "workflows/alignment.h"

namespace rwa::workflows {

// The stem of sequences that are not short.
inline constexpr std::string_view kUsualStem = "15,9";
// Where they are chosen and steps correspond to one another.
inline constexpr int kUsualPositions = 16;

// How finely the network is told the place of a step, and by how much of their length sequences are
// shifted in training.
struct Placement {
  int positions = 0;
  double shift = 0;
};
Placement placement_of(Alignment alignment);

// The defaults of a training on files, as far as they do not depend on the data.
training::Experiment default_experiment();

// Chooses how the data is split and its steps are presented: the task of the experiment, and the
// shift that goes with its positions.
void choose_preparation(const training::Overrides& given, const datasets::Files& files,
                        training::Experiment& experiment);

// The memory for the batches on rank 0's machine.
struct Room {
  std::size_t bytes = 0;
  double batches = 1;  // held at a time; a fraction if ranks share a batch
};
// Measures it for this many runs at a time on all ranks together. All ranks get the same.
Room find_room(int runs, Link* link);

// How a run fits into memory.
struct Fit {
  Memory memory = Memory::kFull;
  std::string note = {};  // that the batch was reduced; empty: it was not
};
// Chooses all other settings, for data that is prepared. Reduces the batch if memory is short; the
// number of epochs stays. Throws ResourceError if a sequence does not fit, naming the options that
// help.
Fit complete(const training::Overrides& given, const datasets::Files& files, const Room& room,
             training::Experiment& experiment);

// "67 sequences: stem 15, 16 positions, noise 0.2; batch 8, 300 steps; scored by 5-fold
// cross-validation, then trained on all".
std::string choices_in_words(const datasets::Files& files, const training::Experiment& experiment);

}  // namespace rwa::workflows
