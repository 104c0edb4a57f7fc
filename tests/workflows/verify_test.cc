// tests/workflows/verify_test.cc: tests that `rwa verify` finds what is wrong in a run folder.
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "io/io_testing.h"
#include "rwa/errors.h"
#include "training/run_folder.h"
#include "workflows/inspect.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

class VerifyRun : public ::testing::Test {
 protected:
  void SetUp() override { fs::copy(fs::path(RWA_TEST_DATA) / "earlier/0.2.0/run", run_); }

  // Replaces the first `old` in a file.
  void replace(std::string_view name, std::string_view old, std::string_view text) const {
    std::string content = io::get(run_ / name);
    content.replace(content.find(old), old.size(), text);
    io::put(run_ / name, content);
  }
  template <class Error>
  void refuse(std::string_view name, std::string_view part) const {
    io::expect_error<Error>([&] { (void)verify(run_); }, {(run_ / name).string(), part});
  }

  io::TempFolder folder_;
  fs::path run_ = folder_.path() / "run";
};

TEST_F(VerifyRun, MetricsAreThoseThatTheCheckpointCovers) {
  const fs::path metrics = run_ / training::kMetricsFile;
  replace(training::kMetricsFile, "\"loss\":1.09", "\"loss\":1.19");
  refuse<InputError>(training::kMetricsFile, "is damaged");
  io::put(metrics, std::string(1000, 'a'));
  refuse<InputError>(training::kMetricsFile, "is damaged");
  fs::remove(metrics);
  refuse<InputError>(training::kMetricsFile, "has 0 bytes, expected at least 532");
}

TEST_F(VerifyRun, TheCheckpointIsOfItsExperiment) {
  replace(training::kConfigFile, "\nseed = 5", "\nseed = 6");
  refuse<ModelFileError>(training::kCheckpointFile, "is from another experiment");
}

TEST_F(VerifyRun, WhatIsWrongIsNamedAndNoDataIsSought) {
  io::put(run_ / training::kRunFile, "{\"format\":");
  refuse<InputError>(training::kRunFile, "JSON");
  EXPECT_TRUE(files_in(run_).empty());
}

TEST_F(VerifyRun, OfSeveralRunsEachIsChecked) {
  const fs::path all = folder_.path() / "all";
  fs::create_directory(all);
  fs::copy(run_ / training::kModelFile, all);
  for (const char* fold : {"fold-1", "fold-2"}) fs::copy(run_, all / fold);
  EXPECT_NE(verify(all).find("; 2 valid runs"), std::string::npos) << verify(all);
  EXPECT_TRUE(files_in(all).empty());
  io::put(all / "fold-2" / training::kMetricsFile, "");
  io::expect_error<InputError>([&] { (void)verify(all); }, {"fold-2", "has 0 bytes"});
}

}  // namespace
}  // namespace rwa::workflows
