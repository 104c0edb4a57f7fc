#include "io/sha256.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "rwa/errors.h"

namespace rwa::io {
namespace {

void require(bool done) {
  if (!done) throw ResourceError("cannot compute a SHA-256: OpenSSL failed");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Sha256::Context Sha256::make_context() {
  Context context(EVP_MD_CTX_new());
  require(context != nullptr);
  return context;
}

Sha256::Sha256() : context_(make_context()) {
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

// Finishes a copy: nothing can be added to what is finished.
std::string Sha256::hex() const {
  const Context copy = make_context();
  require(EVP_MD_CTX_copy_ex(copy.get(), context_.get()) == 1);
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(copy.get(), digest.data(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

}  // namespace rwa::io
