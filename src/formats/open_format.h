// src/formats/open_format.h: which format a file has.
#pragma once

#include "formats/schema.h"
#include "formats/source.h"

namespace rwa::formats {

// By its content; where that leaves it open, by its name. Throws InputError for what is no text and
// none of the others.
Format recognise(Source& source);

}  // namespace rwa::formats
