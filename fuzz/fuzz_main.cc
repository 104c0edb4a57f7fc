// fuzz/fuzz_main.cc: libFuzzer entry points for the target in the environment variable
// RWA_FUZZ_TARGET.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "program.h"
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
  rwa::fuzz::run(*target, {data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// One mutation in 16 makes a program of an input; the others change its bytes, as programs have
// them too.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  const bool is_program = size > 0 && (data[0] & rwa::fuzz::kIsProgram) != 0;
  if (size == 0 || is_program || random() % 16 != 0) return LLVMFuzzerMutate(data, size, most);
  const auto program = rwa::fuzz::with_a_repeated_piece({data, size}, random);
  if (program.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::ranges::copy(program, data);
  return program.size();
}
