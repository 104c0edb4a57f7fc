// tests/paper/external_files_test.cc: sources of downloads, refused files, and where files are
// looked for. The real files are not available here; download_test.cc tests the transfer.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "io/io_testing.h"
#include "paper/download.h"
#include "paper/external_files.h"
#include "paper/tls_server.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

class Downloads : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<paper::TlsServer>();
    server_->trust();
  }
  static void TearDownTestSuite() { server_.reset(); }

  Downloads() { ::setenv("RWA_MIRROR", server_->url("good").c_str(), 1); }

  static void serve(const std::string& path, std::string_view content) {
    const fs::path file = server_->files() / path;
    fs::create_directories(file.parent_path());
    io::put(file, content);
  }

  template <typename Error>
  void expect_refusal(void (*download)(const fs::path&, const Say&),
                      std::initializer_list<std::string_view> parts) {
    io::expect_error<Error>(
        [&] { download(folder_, [&](const std::string& line) { said_.push_back(line); }); }, parts);
  }

  inline static std::unique_ptr<paper::TlsServer> server_;
  io::TempFolder temporary_;
  fs::path folder_ = temporary_.path() / "new" / "folder";
  std::vector<std::string> said_;
};

// Skips itself in a build without libcurl.
class Transfers : public Downloads {
 protected:
  void SetUp() override {
    try {
      const fs::path file = temporary_.path() / "file";
      download({{"https://localhost:1"}, file, 1, [](const fs::path&) {}, ""});
    } catch (const ResourceError& error) {
      if (std::string_view(error.what()).find("no libcurl") != std::string_view::npos) {
        GTEST_SKIP() << "this build has no libcurl";
      }
    }
  }
};

TEST_F(Transfers, WrongMnistIsNotKept) {
  serve("mnist/train-images-idx3-ubyte.gz", "something else");
  expect_refusal<InputError>(
      download_mnist,
      {server_->url("good") + "/mnist/train-images-idx3-ubyte.gz: ", "expected ba891046e6505d7a"});
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(said_, std::vector<std::string>{(folder_ / "train-images-idx3-ubyte.gz").string() +
                                            ": downloading"});
}

TEST_F(Transfers, MirrorsAreTriedInTurn) {
  serve("mnist/train-images-idx3-ubyte.gz", "something else");
  server_->take_requests();
  ::setenv("RWA_MIRROR",
           (" " + server_->url("good") + "/none/  " + server_->url("wrong") + "/").c_str(), 1);
  expect_refusal<InputError>(download_mnist, {"/good/none/mnist/", "status 404", "/wrong/mnist/"});
  EXPECT_EQ(server_->take_requests(),
            "/good/none/mnist/train-images-idx3-ubyte.gz -\n"
            "/wrong/mnist/train-images-idx3-ubyte.gz -\n");
}

TEST_F(Downloads, WithoutANetworkItSaysWhatToDo) {
  ::setenv("RWA_MIRROR", "https://localhost:1 https://localhost:2/x", 1);
  expect_refusal<ResourceError>(
      download_mnist, {"https://localhost:1/mnist/train-images-idx3-ubyte.gz: ",
                       "https://localhost:2/x/mnist/train-images-idx3-ubyte.gz: ", folder_.string(),
                       "--data DIR", "RWA_DATA", kMnistFiles[0].name, kMnistFiles[1].name,
                       kMnistFiles[2].name, kMnistFiles[3].name});
  expect_refusal<ResourceError>(
      download_curves,
      {"https://localhost:1/jostmey-rwa/reber_grammar/rwa_model/train.out: ", "--reference DIR"});
}

TEST_F(Downloads, AMirrorMustBeHttps) {
  ::setenv("RWA_MIRROR", "https://localhost:1 http://localhost", 1);
  expect_refusal<ConfigError>(download_mnist, {"RWA_MIRROR", "\"http://localhost\"", "https://"});
}

TEST_F(Downloads, AFileThatIsThereAndWrongIsNotOverwritten) {
  fs::create_directories(folder_);
  server_->take_requests();
  for (const char* name : {"train-images-idx3-ubyte.gz", "train-images-idx3-ubyte"}) {
    io::put(folder_ / name, "somebody's");
    expect_refusal<InputError>(download_mnist, {(folder_ / name).string(), "found SHA-256",
                                                "expected ba891046e6505d7a", "not overwritten"});
    EXPECT_EQ(io::get(folder_ / name), "somebody's");
  }
  io::put(folder_ / "grammar.rwa.csv", "somebody's");
  expect_refusal<InputError>(download_curves, {"grammar.rwa.csv: found SHA-256"});
  EXPECT_EQ(io::get(folder_ / "grammar.rwa.csv"), "somebody's");
  EXPECT_EQ(server_->take_requests(), "");
}

TEST_F(Downloads, AFolderThatCannotBeMade) {
  io::put(temporary_.path() / "new", "a file");
  expect_refusal<ResourceError>(download_mnist, {folder_.string(), "cannot create the folder"});
}

TEST_F(Transfers, ALogThatIsNotUnderstood) {
  serve("jostmey-rwa/reber_grammar/rwa_model/train.out", "Iteration: 0 Dataset: test\n");
  expect_refusal<InputError>(download_curves, {server_->url("good") + "/jostmey-rwa/",
                                               "reber_grammar/rwa_model/train.out:1: found"});
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Transfers, ALogOfAnotherRun) {
  serve("jostmey-rwa/reber_grammar/rwa_model/train.out",
        "Iteration: 0 Dataset: test Cost: 1 Accuracy: 50.0\n");
  expect_refusal<InputError>(download_curves,
                             {"found a curve with SHA-256", "expected 0dcacd9078abdea2"});
  EXPECT_TRUE(fs::is_empty(folder_));
}

class Places : public ::testing::Test {
 protected:
  Places() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::unsetenv("RWA_DATA");
  }

  fs::path path(std::string_view name) const { return folder_.path() / name; }

  // Some plain, some gzipped.
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
