#include "paper/places.h"

#include <cstdlib>
#include <filesystem>

#include "io/io_testing.h"
#include "paper/mnist_files.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

class Places : public ::testing::Test {
 protected:
  Places() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::unsetenv("RWA_DATA");
  }

  fs::path path(std::string_view name) const { return folder_.path() / name; }

  // Some plain, some packed.
  void put_mnist(const fs::path& folder) const {
    fs::create_directories(folder);
    for (std::size_t i = 0; i < kMnistFiles.size(); ++i) {
      io::put(folder / (std::string(kMnistFiles[i].name) + (i % 2 == 0 ? ".gz" : "")), "x");
    }
  }

  io::TempFolder folder_;
};

TEST_F(Places, TheCache) {
  EXPECT_EQ(cache_folder(), path("rwa"));
  ::setenv("HOME", "/home/somebody", 1);
  for (const char* ignored : {"", "relative"}) {
    ::setenv("XDG_CACHE_HOME", ignored, 1);
    EXPECT_EQ(cache_folder(), "/home/somebody/.cache/rwa");
  }
  ::unsetenv("HOME");
  io::expect_error<ConfigError>([] { cache_folder(); }, {"XDG_CACHE_HOME", "HOME"});
  EXPECT_EQ(find_curves({}), "");
}

TEST_F(Places, MnistWhereItWasAskedFor) {
  put_mnist(path("here"));
  put_mnist(path("there/mnist"));
  ::setenv("RWA_DATA", path("here").c_str(), 1);
  EXPECT_EQ(find_mnist(path("there")), path("there/mnist"));
  EXPECT_EQ(find_mnist(path("there/mnist")), path("there/mnist"));
}

TEST_F(Places, MnistWhereTheVariableSays) {
  put_mnist(path("here"));
  put_mnist(path("rwa/mnist"));
  ::setenv("RWA_DATA", path("here").c_str(), 1);
  EXPECT_EQ(find_mnist({}), path("here"));
  ::setenv("RWA_DATA", "", 1);
  EXPECT_EQ(find_mnist({}), path("rwa/mnist"));
}

TEST_F(Places, MnistInTheCache) {
  put_mnist(path("rwa/mnist"));
  EXPECT_EQ(find_mnist({}), path("rwa/mnist"));
}

TEST_F(Places, AFolderThatWasNamedIsTheOnlyOneLookedInto) {
  put_mnist(path("rwa/mnist"));
  io::expect_error<ConfigError>([&] { find_mnist(path("none")); }, {path("none").string()});
  ::setenv("RWA_DATA", path("none").c_str(), 1);
  io::expect_error<ConfigError>([&] { find_mnist({}); }, {path("none").string()});
}

TEST_F(Places, MnistWithOneFileMissing) {
  put_mnist(path("rwa/mnist"));
  fs::remove(path("rwa/mnist") / kMnistFiles[3].name);
  io::expect_error<ConfigError>(
      [] { find_mnist({}); },
      {path("rwa").string(), "`rwa paper data mnist`", "--data DIR", "RWA_DATA",
       kMnistFiles[0].name, kMnistFiles[1].name, kMnistFiles[2].name, kMnistFiles[3].name});
}

TEST_F(Places, Curves) {
  EXPECT_EQ(find_curves({}), "");
  fs::create_directories(path("rwa/curves"));
  EXPECT_EQ(find_curves({}), "");
  io::put(path("rwa/curves/copy-100.lstm.csv"), "x");
  EXPECT_EQ(find_curves({}), path("rwa/curves"));
  EXPECT_EQ(find_curves(folder_.path()), folder_.path());
  io::expect_error<ConfigError>([&] { find_curves(path("none")); }, {path("none").string()});
}

}  // namespace
}  // namespace rwa::paper
