// src/workflows/stream_state.h: streams on disk: a safetensors file with one tensor for each of them,
// which belongs to the weights that it was made with.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rwa/model.h"

namespace rwa::workflows {

// One sequence as far as it has come.
struct OneStream {
  std::vector<float> state = {};  // of the network
  std::vector<float> last = {};   // x of the last step, as the network saw it; of symbols none
  std::string tail = {};          // the last letters, with which the next k-mers begin

  friend bool operator==(const OneStream&, const OneStream&) = default;
};
using StreamsById = std::map<std::string, OneStream, std::less<>>;

// How many numbers each has.
struct StreamSizes {
  std::size_t state = 0, last = 0;
};

// Replaces the file as a whole. Throws ResourceError; InputError where there are too many for a
// file.
void write_streams(const std::filesystem::path& file, const Model& model,
                   const StreamsById& streams);
// Throws ModelFileError for a file that is none of these, or of other weights.
StreamsById read_streams(const std::filesystem::path& file, const Model& model,
                         const StreamSizes& sizes);

}  // namespace rwa::workflows
