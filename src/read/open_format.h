// src/read/open_format.h: which format a file has.
#pragma once

#include "read/schema.h"
#include "read/source.h"

namespace rwa::read {

// By its content; where that leaves it open, by its name. Throws InputError for what is no text and
// none of the others.
Format recognise(Source& source);

}  // namespace rwa::read
