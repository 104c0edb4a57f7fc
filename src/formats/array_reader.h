// src/formats/array_reader.h: sequences from arrays of any file format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "formats/array.h"
#include "formats/formats.h"

namespace rwa::formats {

struct Arrays {
  Format format;
  std::string file;  // for messages
  // Three dimensions in the order of the layout, or two for one feature. With offsets, the steps of
  // all sequences concatenated: [sum of T,C] or [sum of T].
  Array x;
  std::optional<Array> y = {};        // see ArrayAnswers
  std::optional<Array> lengths = {};  // [N], at most T each
  std::optional<Array> offsets = {};  // [N+1], the first step of each sequence, then the sum of T
  std::optional<Layout> layout = {};  // default; if empty, three dimensions need --layout
  float divisor = 1;                  // of x
  std::uint64_t stored = 0;           // size of the file on disk
};

// Returns the size of a file on disk; 0 if unknown.
std::uint64_t stored_bytes(const std::filesystem::path& file);

// Reads one sequence at a time. Layout::kTnc needs the whole array in memory, and is refused if
// that is large and larger than the file. Throws InputError if the arrays do not fit each other or
// the options.
std::unique_ptr<Reader> read_arrays(Arrays arrays, const Options& options,
                                    SharedVocabulary vocabulary);

}  // namespace rwa::formats
