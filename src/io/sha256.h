// src/io/sha256.h: SHA-256 of bytes that come piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // OpenSSL's, whose headers stay in the .cc file

namespace rwa::io {

// Throws ResourceError where OpenSSL refuses.
class Sha256 {
 public:
  Sha256();

  void add(std::span<const std::byte> bytes);
  // Of everything added: 64 digits, lower case. Ends the sum: nothing may be added afterwards.
  [[nodiscard]] std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256(std::span<const std::byte> bytes);

}  // namespace rwa::io
