// src/datasets/files_ranks.h: somebody's files for ranks that train together. Rank 0 alone reads them,
// and sends its sequences on while it does: there is one standard input, files may lie where no
// other machine sees them, and what is wrong in them is said once. The others take the sequences as
// if they had read them: each has the division, the encoding and the checksum that one process
// would have, and keeps as much in memory.
#pragma once

#include "datasets/files_read.h"
#include "rwa/link.h"

namespace rwa::datasets {

// formats::open() on all ranks of the link, which must outlive it and its readers; null: this process
// is alone. All open the same data sets in the same order, and go to the end of each; the paths are
// those of rank 0. A sequence is sent when rank 0 comes back for a later one, and so has found it
// right.
Open open_together(Link* link);

}  // namespace rwa::datasets
