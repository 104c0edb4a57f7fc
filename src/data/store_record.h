// src/data/store_record.h: a sequence as bytes, for one machine and one run of the program: numbers as
// they lie in memory, symbols and labels in as few bytes as they need.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "read/sequence.h"

namespace rwa::data {

// Replaces the content of `record`.
void pack(const read::Sequence& sequence, std::vector<std::byte>& record);
// What pack() has made, and nothing else.
void unpack(std::span<const std::byte> record, read::Sequence& sequence);

}  // namespace rwa::data
