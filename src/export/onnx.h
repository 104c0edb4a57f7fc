// src/export/onnx.h: exports a model as an ONNX file, which ONNX Runtime and others run without
// rwa.
//
// The graph for whole sequences has the inputs
//   x [T,B,D] float     or, if the input is symbols, symbols [T,B] int64
//   lengths [B] int64   0 to T, not checked; values past a sequence's end are ignored
//   steps [] int64      decoders only: the number of steps to decode
// with free T and B, T at least 1, and the outputs
//   y                   as Session::run() writes it: [B,O]; with readout "every" [T,B,O], zeros
//                       past the end of a sequence; [steps,B,O] for a decoder
//   probabilities       y after softmax or sigmoid; or
//   values              y in its original unit, for a regression model trained on files
//
// The graph for one step of a stream has the inputs x [B,D] or symbols [B], and state [B,S]. It has
// the same outputs, [B,O], and next_state, the state of the next step. The state is that of
// rwa::Stream; a sequence starts with "initial_state" of the metadata, [S] numbers. They have the
// lowest float in place of a Stream's minus infinity.
//
// If the model has the note "data", the graph encodes its inputs: x holds the values of the files.
// A missing value, NaN, becomes the mean if the model was trained so; otherwise the caller fills it
// in. The metadata are strings: "rwa" (the version) and, as JSON, "network"; for a model trained on
// files also "features" and "missing", or "symbols", "kmer", "tokens", "lower" and "unknown" (the
// last symbol stands for all that are not listed); "outputs", "target", "window".
#pragma once

#include <filesystem>

#include "rwa/model.h"

namespace rwa::exports {

// The lowest opset with all the operators used here; ONNX Runtime supports it since 1.6 (2020).
inline constexpr int kOnnxOpset = 13;

struct OnnxOptions {
  bool step = false;  // one step of a stream instead of whole sequences
};

// Replaces the file atomically. Throws ConfigError for a step of a network that cannot run as a
// stream or whose steps depend on others (context, positions), for more weights than an ONNX file
// can hold, 2 GiB, and in a build without ONNX; ModelFileError for a note that does not fit the
// network; ResourceError if the file cannot be written.
void export_onnx(const Model& model, const std::filesystem::path& file,
                 const OnnxOptions& options = {});

}  // namespace rwa::exports
