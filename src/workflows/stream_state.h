// src/workflows/stream_state.h: the state of unfinished sequences, in memory and in a file, from
// which rwa stream goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/descriptor.h"

namespace rwa::workflows {

// The state of one sequence after its latest step.
struct OneStream {
  std::vector<float> state = {};  // of the network
  std::vector<float> last = {};   // encoded x of the latest step; empty for symbols
  std::string tail = {};          // the latest letters, which begin the next k-mers

  friend bool operator==(const OneStream&, const OneStream&) = default;
};
using StreamsById = std::map<std::string, OneStream, std::less<>>;

// Where a run is in its input.
struct StreamProgress {
  std::int64_t lines = 0;  // that are answered
  bool ended = true;       // the run saved this at its end; false: it was killed later
  std::vector<std::string> header = {};  // the names of the fields, after the id; empty: no header

  friend bool operator==(const StreamProgress&, const StreamProgress&) = default;
};

// What a run leaves to the next one.
struct StreamState {
  StreamsById streams = {};
  StreamProgress progress = {};
};

// The model that a state belongs to.
struct StreamModel {
  std::string checksum = {};        // SHA-256 of its weights
  std::size_t state = 0, last = 0;  // numbers of a stream
};

// A safetensors file of N streams:
//   state [N,S], last [N,D]
//   ids, tails        texts, each after its length: "2:b7"; no tails if all are empty
//   header            the same for StreamProgress::header, if there is one
// The metadata:
//   format "rwa-stream", format_version "2"; version 1 has a tensor for each id and no checksum
//   model             StreamModel::checksum
//   lines, ended      StreamProgress
//   sha256            of everything else
//
// Throws ResourceError if the file cannot be written; the old file is then intact. Returns what
// io::replace_file() does.
io::Descriptor write_stream_state(const std::filesystem::path& file, const StreamModel& model,
                                  const StreamsById& streams, const StreamProgress& progress);
// Throws ModelFileError if the file is damaged, even in one bit, or of another model, and
// ResourceError if it cannot be read.
StreamState read_stream_state(const std::filesystem::path& file, const StreamModel& model);

}  // namespace rwa::workflows
