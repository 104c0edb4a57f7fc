// src/tasks/kinds.h: opens the data set of each kind of task, implemented in the .cc file of its
// name. All throw like open_task().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "datasets/dataset.h"
#include "tasks/task.h"

namespace rwa::tasks {

std::unique_ptr<datasets::Dataset> open_grammar(const GrammarTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_length(const LengthTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_copy(const CopyTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_adding(const AddingTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_multi_copy(const MultiCopyTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_xor(const XorTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_look_ahead(const LookAheadTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_autoencode(const AutoencodeTask& task, std::uint64_t seed);
std::unique_ptr<datasets::Dataset> open_spelling(const SpellingTask& task, std::uint64_t seed);
Facts mnist_facts();
std::unique_ptr<datasets::Dataset> open_mnist(const MnistTask& task, std::uint64_t seed,
                                              const std::filesystem::path& folder);

}  // namespace rwa::tasks
