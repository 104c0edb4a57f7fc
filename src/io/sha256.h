// src/io/sha256.h: incremental SHA-256.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // OpenSSL's; its headers stay in the .cc file

namespace rwa::io {

// Throws ResourceError if OpenSSL fails.
class Sha256 {
 public:
  Sha256();

  void add(std::span<const std::byte> bytes);
  // Returns 64 lower-case hex digits for what was added so far.
  [[nodiscard]] std::string hex() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  using Context = std::unique_ptr<evp_md_ctx_st, Free>;
  static Context make_context();

  Context context_;
};

std::string sha256(std::span<const std::byte> bytes);

}  // namespace rwa::io
