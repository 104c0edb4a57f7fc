// src/formats/other_files.h: files of other programs, which would be read as text or not at all.
#pragma once

#include "formats/source.h"

namespace rwa::formats {

// Throws InputError for a web page, an XML file, a PDF, a spreadsheet, a Parquet file and the like,
// saying what it is and how to get data from it.
void refuse_other_files(Source& source);

}  // namespace rwa::formats
