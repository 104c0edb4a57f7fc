// include/rwa/link.h: communication between ranks that train one model together. The rwa program
// has an implementation over MPI; implement this interface to use another transport.
#pragma once

#include <cstddef>
#include <span>

#include "rwa/export.h"

namespace rwa {

// The view that one of size() ranks has of the others. Each rank is a process or a thread.
class RWA_EXPORT Link {
 public:
  virtual ~Link() = default;

  [[nodiscard]] virtual int rank() const = 0;  // 0 … size() - 1
  [[nodiscard]] virtual int size() const = 0;

  // Sends `out` to rank `peer` and fills `in` with what that rank sends, both at once. An empty
  // span means no message. Messages between two ranks arrive in order; the callers agree on their
  // sizes. An implementation must throw if the peer is lost, rather than wait forever.
  virtual void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) = 0;
};

}  // namespace rwa
