// include/rwa/link.h: how processes talk to each other that train one model together. The program
// brings one over MPI; a caller with another way between its processes implements this.
#pragma once

#include <cstddef>
#include <span>

#include "rwa/export.h"

namespace rwa {

// One of size() ranks, each in a process or on a thread of its own.
class RWA_EXPORT Link {
 public:
  virtual ~Link() = default;

  [[nodiscard]] virtual int rank() const = 0;  // 0 … size() - 1
  [[nodiscard]] virtual int size() const = 0;

  // Sends `out` to another rank and fills `in` with what that one sends, both at once; an empty one
  // is no message. Messages between two ranks arrive in their order, and the two agree on their
  // sizes. Throws when the other is lost, rather than wait for ever.
  virtual void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) = 0;
};

}  // namespace rwa
