// src/datasets/store_record.h: a sequence as bytes, for one machine and one run of the program: numbers as
// they lie in memory, symbols and labels in as few bytes as they need.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/sequence.h"

namespace rwa::datasets {

// Replaces the content of `record`.
void pack(const formats::Sequence& sequence, std::vector<std::byte>& record);
// What pack() has made, and nothing else.
void unpack(std::span<const std::byte> record, formats::Sequence& sequence);

}  // namespace rwa::datasets
