// tests/io/sha256_test.cc: against the examples of FIPS 180-4.
#include "io/sha256.h"

#include <string>

#include "io_testing.h"

namespace rwa::io {
namespace {

TEST(Sha256, OfNothing) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfAFewBytes) {
  EXPECT_EQ(sha256(as_bytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, OfAMillionBytesInPieces) {
  const std::string piece(1000, 'a');
  Sha256 sum;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(sum.hex() == sha256({}), i == 0);  // of what was added so far
    sum.add(as_bytes(piece));
  }
  EXPECT_EQ(sum.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace rwa::io
