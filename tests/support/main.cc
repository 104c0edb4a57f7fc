// tests/support/main.cc: runs a program's tests. If every one of them skips itself, the exit status
// is 77, which CTest counts as skipped, and the reason is printed.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "rwa/errors.h"
#include "rwa/version.h"

namespace {

constexpr int kSkipped = 77;

void print_reason(const testing::UnitTest& program) {
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestResult& result = *suite.GetTestInfo(t)->result();
      for (int p = 0; p < result.total_part_count(); ++p) {
        if (!result.GetTestPartResult(p).skipped()) continue;
        std::printf("skipped: %s\n", result.GetTestPartResult(p).message());
        return;
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    (void)rwa::instruction_set();
  } catch (const rwa::Error& error) {
    const bool is_lacking = std::strstr(error.what(), "is not supported by this CPU") != nullptr;
    std::printf("%s%s\n", is_lacking ? "skipped: " : "", error.what());
    return is_lacking ? kSkipped : EXIT_FAILURE;
  }
  const int status = RUN_ALL_TESTS();
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  if (status != 0 || program.successful_test_count() > 0 || program.skipped_test_count() == 0) {
    return status;
  }
  print_reason(program);
  return kSkipped;
}
