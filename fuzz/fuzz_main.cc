// fuzz/fuzz_main.cc: libFuzzer entry points for the target in the environment variable
// RWA_FUZZ_TARGET.
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace {
const rwa::fuzz::Target* target = nullptr;
}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("RWA_FUZZ_TARGET");
  target = rwa::fuzz::find_target(name == nullptr ? "" : name);
  if (target != nullptr) return 0;
  std::fputs("RWA_FUZZ_TARGET names no target, expected one of the folders of fuzz/seeds\n",
             stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run({data, size});
  return 0;
}
