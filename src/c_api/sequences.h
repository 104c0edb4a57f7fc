// src/c_api/sequences.h: a list of sequences in memory, and a reader over it.
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
  rwa::formats::Findings findings;
  // Used to make the symbols, as in FilesTask.
  int kmer = 1;
  std::string tokens = "characters";
  bool lower = false;
  rwa::formats::Vocabulary words;
  std::vector<std::string> files;  // the items' files, for messages
  std::vector<Item> items;
};

namespace rwa::c_api {

// Returns a reader over the list, which must outlive it. With `as`, selects features by name, or by
// position if they have no names. Throws InputError, with the difference, if the list does not
// match `as`. Without `answered`, ignores the targets.
std::unique_ptr<formats::Reader> open_list(const rwa_sequences& list, const formats::Schema* as,
                                           bool answered, formats::Vocabulary& words);

}  // namespace rwa::c_api
