// src/paper/gradients.h: how much of the loss reaches each step of a sequence: the size of the
// derivative of the loss with respect to the output h of the recurrent layer at every step, before
// training and after.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rwa::paper {

inline constexpr std::string_view kGradientsFile = "gradients.csv";  // beside a run's other files

// Root mean squares over sequences and units, of each sequence's own loss; from the first step on.
struct GradientFlow {
  std::vector<double> untrained, trained;
};

// Of a finished run, by a batch of its test samples, on the CPU. `data` is where to look for MNIST,
// as find_mnist() has it, where the run needs it. Throws InputError for a run that is not finished,
// and as reading its files and Session::gradient() do.
GradientFlow measure_gradients(const std::filesystem::path& run_folder,
                               const std::filesystem::path& data, int threads);
// The same into the run's folder; returns the file. Throws ResourceError, too.
std::filesystem::path write_gradients(const std::filesystem::path& run_folder,
                                      const std::filesystem::path& data, int threads);

// "step,untrained,trained" and a line for each step, counted from 1.
std::string format_gradients(const GradientFlow& flow);
// `file` is named in messages. Throws InputError for anything that the above does not write.
GradientFlow parse_gradients(std::string_view text, const std::filesystem::path& file);

}  // namespace rwa::paper
