// src/formats/npy.h: .npy, NumPy's format of one array: a magic number, the version, the header's
// length and the header, which is a Python dictionary, then the elements.
#pragma once

#include <string>

#include "formats/array.h"

namespace rwa::formats {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Reads the header; the array gives what follows. Throws InputError for what is no .npy, and for an
// array of Python objects, of records, of halves, with the most significant byte first, or in
// Fortran's order.
Array parse_npy(std::string name, NextBytes next);

}  // namespace rwa::formats
