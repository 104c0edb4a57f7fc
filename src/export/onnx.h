// src/export/onnx.h: a model as an ONNX file, which ONNX Runtime and others run without this
// library.
//
// A graph of whole sequences has the inputs
//   x [T,B,D] float     or, where the input is symbols,  symbols [T,B] int64
//   lengths [B] int64   0 to T, which is not checked; what lies past a length does not matter
//   steps [] int64      of a decoder: how many to say
// where T and B are free, T at least 1, and the outputs
//   y                   what Session::run() writes: [B,O], of every step [T,B,O], zeros past a
//                       length, of a decoder [steps,B,O]
//   probabilities       the same after softmax or sigmoid; or
//   values              numbers in their own unit, of a model that was trained on files
//
// A graph of one step, for streams, has the inputs x [B,D] or symbols [B], and state [B,S]; beside
// the same outputs, [B,O], it has next_state, to be given to the next step. The state is that of
// rwa::Stream; where a sequence begins it is "initial_state" of the metadata, [S] numbers, of which
// those are the lowest float that are minus infinity in a Stream.
//
// Where the model's note says how files become its numbers, the graph does that: x are the numbers
// of the files. What is missing there, a NaN, becomes the mean, if the model was trained so, and is
// the caller's to fill in otherwise. Metadata are texts: "rwa" (the version) and, as JSON,
// "network"; of a model that was trained on files also "features" and "missing", or "symbols" and
// "kmer"; "outputs", "target", "window".
#pragma once

#include <filesystem>

#include "rwa/model.h"

namespace rwa::exports {

// The lowest that has all that is needed; ONNX Runtime reads it since 1.6 (2020).
inline constexpr int kOnnxOpset = 13;

struct OnnxOptions {
  bool step = false;  // one step of a stream, else whole sequences
};

// Replaces the file as a whole or not at all. Throws ConfigError for a step of a network that no
// stream goes through, or that sees steps with others (context, positions), and for more
// weights than such a file holds, 2 GiB; ModelFileError for a note that does not fit the network;
// ResourceError where the file cannot be written.
void export_onnx(const Model& model, const std::filesystem::path& file,
                 const OnnxOptions& options = {});

}  // namespace rwa::exports
