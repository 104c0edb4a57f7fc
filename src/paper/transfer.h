// src/paper/transfer.h: one request to one server, by libcurl.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "paper/part_file.h"

namespace rwa::paper {

// The server cannot be reached, cannot be trusted, refuses, or broke off. What had arrived is in
// the part.
class TransferError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Asks for what `part` lacks and appends it; where the server sends the whole file instead, the
// part starts again. Throws TransferError; InputError where there are more than `most_bytes`;
// ResourceError where the part cannot be written.
void transfer(const std::string& url, PartFile& part, std::uint64_t most_bytes);

}  // namespace rwa::paper
