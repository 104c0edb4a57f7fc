// src/c_api/sequences.h: a list of sequences in memory, and its reading as if it were a file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "formats/reader.h"
#include "formats/schema.h"
#include "formats/sequence.h"
#include "rwa/c_api.h"

struct rwa_sequences {
  struct Item {
    rwa::formats::Sequence sequence;
    std::size_t file = 0;
  };

  rwa::formats::Schema schema;
  int kmer = 1;  // what symbols were made with
  rwa::formats::Vocabulary words;
  std::vector<std::string> files;  // where the items come from, for messages
  std::vector<Item> items;
};

namespace rwa::c_api {

// The sequences in their order, which must outlive the reader. With `as`, features are found by
// their names, or, where they have none of their own, taken in their order. Throws InputError where
// the list does not have what `as` asks for, with the difference; without `answered`, its answers
// are not looked at.
std::unique_ptr<formats::Reader> open_list(const rwa_sequences& list, const formats::Schema* as,
                                           bool answered, formats::Vocabulary& words);

}  // namespace rwa::c_api
