// include/rwa/errors.h: every exception the library throws. Messages say what was expected and what
// was found.
#pragma once

#include <stdexcept>
#include <string>

#include "rwa/export.h"

namespace rwa {

// The base class: catch this one to catch them all.
class RWA_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A description that cannot be built: a size that is not positive, an unknown name.
class RWA_EXPORT ConfigError : public Error {
 public:
  using Error::Error;
};

// Data that does not fit the model or itself: shapes that disagree, lengths beyond T, a class out
// of range.
class RWA_EXPORT InputError : public Error {
 public:
  using Error::Error;
};

// A model file that is truncated, altered, of another version, or not a model at all.
class RWA_EXPORT ModelFileError : public Error {
 public:
  using Error::Error;
};

// The system refused: a file cannot be opened or written, memory or disk space is short.
class RWA_EXPORT ResourceError : public Error {
 public:
  using Error::Error;
};

// Training left the finite numbers: a loss, gradient or weight is infinite or not a number.
class RWA_EXPORT DivergenceError : public Error {
 public:
  using Error::Error;
};

}  // namespace rwa
