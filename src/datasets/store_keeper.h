// src/datasets/store_keeper.h: of the ranks on one machine the lowest keeps, once for all of them, what
// does not fit into memory. The others read its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comm/ranks.h"
#include "io/descriptor.h"

namespace rwa::datasets {

// The same text exactly where one process can open the files of another through /proc; empty where
// that cannot be known.
std::string this_machine();

class Keeper {
 public:
  // This process is alone.
  Keeper() = default;
  // All ranks of the link call this; it must outlive the last share(). Null: this process is alone.
  explicit Keeper(Link* link, const std::string& machine = this_machine());

  [[nodiscard]] int rank() const { return rank_; }  // who keeps the files of this machine
  [[nodiscard]] bool is_here() const { return rank_ == ranks_.rank(); }

  // All ranks call this, keepers with a file of so many bytes, to which nothing is added any more.
  // The others get that of their keeper, for reading. Throws ResourceError.
  void share(std::optional<io::Descriptor>& file, std::uint64_t size);

 private:
  [[nodiscard]] io::Descriptor open(const std::string& path, std::uint64_t size) const;

  Ranks ranks_;
  int rank_ = 0;
};

}  // namespace rwa::datasets
