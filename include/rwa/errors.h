// include/rwa/errors.h: the exceptions that the library throws. Messages say what was found and
// what was expected.
#pragma once

#include <stdexcept>
#include <string>

#include "rwa/export.h"

namespace rwa {

// Base class of all exceptions of the library.
class RWA_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An invalid configuration: a size that is not positive, an unknown name.
class RWA_EXPORT ConfigError : public Error {
 public:
  using Error::Error;
};

// Data that does not fit the model, or is inconsistent: shapes that disagree, lengths beyond T, a
// class out of range.
class RWA_EXPORT InputError : public Error {
 public:
  using Error::Error;
};

// A model file that is truncated, corrupted, of another version, or not a model file at all.
class RWA_EXPORT ModelFileError : public Error {
 public:
  using Error::Error;
};

// A failed system call: a file cannot be opened or written, or memory or disk space is exhausted.
class RWA_EXPORT ResourceError : public Error {
 public:
  using Error::Error;
};

// Training diverged: a loss, gradient or weight is infinite or NaN.
class RWA_EXPORT DivergenceError : public Error {
 public:
  using Error::Error;
};

}  // namespace rwa
