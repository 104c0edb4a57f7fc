// src/api/parts.h: long sequences cut into parts of some steps, which are learnt from one after
// the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/network.h"

namespace rwa {

// Points into the batch that it was cut from.
struct BatchPart {
  Sequences<float> in;
  // Their rows are the answers that fall into it: of every step, or of the sequences that end here.
  Targets<float> targets;
  std::int64_t answers = 0;                      // how many these are, on all ranks
  std::unique_ptr<std::int32_t[]> lengths = {};  // those of both
};

// Parts of `steps` steps, the last perhaps shorter; the batch as it is where that is 0, or no
// sequence is longer. Together they have each answer once. A sequence that has ended has no steps
// in the parts that follow; one without steps ends in the first. longest: how long the longest is
// that is cut, here or on another rank.
std::vector<BatchPart> cut(const NetworkSpec& spec, int steps, int longest,
                           const Sequences<float>& in, const Targets<float>& targets);

// How long the longest of these is.
int longest_of(const Rows& rows);

}  // namespace rwa
