// src/paper/gradients.h: gradient flow through time: the size of the derivative of the loss with
// respect to the output h of the recurrent layer at every time step, before and after training.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rwa::paper {

inline constexpr std::string_view kGradientsFile = "gradients.csv";  // in the run folder

// Root mean squares over sequences and units, of each sequence's own loss; one value per time step.
struct GradientFlow {
  std::vector<double> untrained, trained;
};

// Measures a finished run on one batch of its test samples, on the CPU. `data` is the folder passed
// to find_mnist() if the run needs MNIST. Throws InputError if the run is not finished, and what
// reading its files and Session::gradient() throw.
GradientFlow measure_gradients(const std::filesystem::path& run_folder,
                               const std::filesystem::path& data, int threads);
// Writes the result to the run folder and returns the file. Also throws ResourceError.
std::filesystem::path write_gradients(const std::filesystem::path& run_folder,
                                      const std::filesystem::path& data, int threads);

// CSV: "step,untrained,trained" and a line for each step, counted from 1.
std::string format_gradients(const GradientFlow& flow);
// `file` is named in messages. Throws InputError for anything that format_gradients() cannot have
// written.
GradientFlow parse_gradients(std::string_view text, const std::filesystem::path& file);

}  // namespace rwa::paper
