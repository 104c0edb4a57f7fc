// tests/paper/download_test.cc: downloads from a local server that disconnects, ignores ranges,
// sends wrong bytes, redirects, is not trusted, or is down.
#include "paper/download.h"

#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

#include "io/descriptor.h"
#include "io/io_testing.h"
#include "io/replace_file.h"
#include "io/sha256.h"
#include "paper/tls_server.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;
using io::as_bytes;
using io::expect_error;
using io::get;
using io::put;
using io::replace_file;
using io::sha256;
using io::TempFolder;

std::string made_up_content() {
  std::string content;
  for (int i = 0; content.size() < 10'000; ++i) content += std::to_string(i * i) + "\n";
  content.resize(10'000);
  return content;
}

class DownloadTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<TlsServer>();
    put(server_->files() / "data", content_);
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    server_->trust();
    server_->take_requests();
  }

  static std::string url(std::string_view manner) { return server_->url(manner) + "/data"; }

  fs::path part(const std::string& url) const {
    return file_.string() + "." + sha256(as_bytes(url)).substr(0, 8) + ".part";
  }

  void fetch(const std::vector<std::string>& urls) const {
    download({
        .urls = urls,
        .file = file_,
        .most_bytes = 20'000,
        .keep =
            [&](const fs::path& part) {
              const std::string found = get(part);
              if (sha256(as_bytes(found)) != sha256(as_bytes(content_))) {
                throw InputError("these are not the bytes");
              }
              replace_file(file_, as_bytes(found));
            },
        .otherwise = "Do something else.",
    });
  }

  // Expects the complete file and no other file in the folder.
  void expect_fetched(const std::vector<std::string>& urls) const {
    EXPECT_NO_THROW(fetch(urls));
    EXPECT_EQ(get(file_), content_);
    EXPECT_EQ(folder_.count(), 1);
  }

  template <typename Error>
  void expect_refusal(const std::vector<std::string>& urls,
                      std::initializer_list<std::string_view> parts) const {
    expect_error<Error>([&] { fetch(urls); }, parts);
    EXPECT_FALSE(fs::exists(file_));
  }

  inline static const std::string content_ = made_up_content();
  inline static std::unique_ptr<TlsServer> server_;
  TempFolder folder_;
  fs::path file_ = folder_.path() / "file";
};

TEST_F(DownloadTest, AFile) {
  expect_fetched({url("good")});
  EXPECT_EQ(server_->take_requests(), "/good/data -\n");
}

TEST_F(DownloadTest, ReplacesAnOldFile) {
  put(file_, "old");
  expect_fetched({url("good")});
}

TEST_F(DownloadTest, ATransferThatBreaksOffGoesOnWhereItStopped) {
  expect_fetched({url("broken")});
  EXPECT_EQ(server_->take_requests(), "/broken/data -\n/broken/data bytes=5000-\n");
}

TEST_F(DownloadTest, TheNextCallGoesOnWhereTheLastOneGaveUp) {
  expect_refusal<ResourceError>({url("crumbs")}, {file_.string(), url("crumbs")});
  EXPECT_EQ(get(part(url("crumbs"))), content_.substr(0, 5000));
  server_->take_requests();
  expect_fetched({url("crumbs")});
  EXPECT_TRUE(server_->take_requests().starts_with("/crumbs/data bytes=5000-\n"));
}

TEST_F(DownloadTest, AServerThatIgnoresRangesStartsAgain) {
  expect_fetched({url("no-range")});
  EXPECT_EQ(server_->take_requests(), "/no-range/data -\n/no-range/data bytes=5000-\n");
}

TEST_F(DownloadTest, APartThatLeadsToWrongBytesIsFetchedAnew) {
  put(part(url("good")), std::string(3000, 'x'));
  expect_fetched({url("good")});
  EXPECT_EQ(server_->take_requests(), "/good/data bytes=3000-\n/good/data -\n");
}

TEST_F(DownloadTest, APartThatIsCompleteIsKept) {
  put(part(url("good")), content_);
  expect_fetched({url("good")});
  EXPECT_EQ(server_->take_requests(), "/good/data bytes=10000-\n");
}

TEST_F(DownloadTest, APartThatIsTooLongIsFetchedAnew) {
  put(part(url("good")), content_ + "more");
  expect_fetched({url("good")});
  put(part(url("good")), std::string(30'000, 'x'));
  expect_fetched({url("good")});
}

TEST_F(DownloadTest, EachServerHasItsOwnPart) {
  expect_fetched({url("crumbs"), url("good")});
  EXPECT_TRUE(server_->take_requests().ends_with("/good/data -\n"));
}

TEST_F(DownloadTest, WrongBytesLeadToTheNextServer) {
  expect_fetched({url("wrong"), url("good")});
  EXPECT_EQ(server_->take_requests(), "/wrong/data -\n/good/data -\n");
}

TEST_F(DownloadTest, NoAnswerLeadsToTheNextServer) {
  expect_fetched({"https://localhost:1/data", url("good") + "/none", url("good")});
}

TEST_F(DownloadTest, WrongBytesEverywhereAreBadInput) {
  expect_refusal<InputError>(
      {url("wrong"), url("good") + "/none"},
      {file_.string() + ": cannot download", url("wrong") + ": these are not the bytes",
       url("good") + "/none: the server answered with status 404", "\nDo something else."});
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(DownloadTest, MoreBytesThanAllowedAreBadInput) {
  expect_refusal<InputError>({url("endless")}, {url("endless"), "more than 20000 bytes"});
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(DownloadTest, AFileThatIsNotThere) {
  expect_refusal<ResourceError>({url("good") + "/none"}, {"/none: ", "status 404"});
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(DownloadTest, AServerThatIsNotThere) {
  expect_refusal<ResourceError>({"https://localhost:1/data"},
                                {"https://localhost:1/data: ", "connect", "Do something else."});
  EXPECT_EQ(folder_.count(), 0);
}

TEST_F(DownloadTest, FollowsToAnotherPlace) { expect_fetched({url("to-https")}); }

TEST_F(DownloadTest, OnlyHttps) {
  expect_refusal<ResourceError>({url("to-http")}, {url("to-http"), "only https is allowed"});
  expect_refusal<ResourceError>({"http://localhost/data"}, {"only https is allowed"});
  const std::string local = "file://" + (server_->files() / "data").string();
  expect_refusal<ResourceError>({local}, {"only https is allowed"});
}

TEST_F(DownloadTest, ACertificateThatNobodyTrusts) {
  ::unsetenv("CURL_CA_BUNDLE");
  expect_refusal<ResourceError>({url("good")}, {"certificate is not trusted", "CURL_CA_BUNDLE"});
  EXPECT_EQ(server_->take_requests(), "");
}

TEST_F(DownloadTest, ACertificateOfAnotherHost) {
  expect_refusal<ResourceError>({server_->url("good", "127.0.0.1") + "/data"},
                                {"certificate is not trusted", "127.0.0.1"});
  EXPECT_EQ(server_->take_requests(), "");
}

TEST_F(DownloadTest, TheOtherVariableForCertificates) {
  ::unsetenv("CURL_CA_BUNDLE");
  ::setenv("SSL_CERT_FILE", server_->certificate().c_str(), 1);
  expect_fetched({url("good")});
}

TEST_F(DownloadTest, CertificatesThatCannotBeRead) {
  ::setenv("CURL_CA_BUNDLE", "/none.pem", 1);
  expect_refusal<ResourceError>({url("good")}, {"/none.pem"});
}

TEST_F(DownloadTest, TwoProcessesDoNotWriteTheSamePart) {
  const io::Descriptor other(::open(part(url("good")).c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  expect_refusal<ResourceError>({url("good")}, {"another process is downloading it"});
  EXPECT_EQ(server_->take_requests(), "");
}

TEST_F(DownloadTest, ThePartOfAnotherProcessIsLeftAlone) {
  put(part(url("crumbs")), "some");
  const io::Descriptor other(::open(part(url("crumbs")).c_str(), O_WRONLY));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  fetch({url("good"), url("crumbs")});
  EXPECT_EQ(get(file_), content_);
  EXPECT_EQ(get(part(url("crumbs"))), "some");
}

TEST_F(DownloadTest, RemnantsOfOtherServersAreRemoved) {
  put(part(url("crumbs")), "some");
  expect_fetched({url("good"), url("crumbs")});
}

TEST_F(DownloadTest, AFolderThatIsNotThere) {
  file_ = folder_.path() / "none" / "file";
  expect_refusal<ResourceError>({url("good")}, {file_.string(), "No such file or directory"});
}

TEST_F(DownloadTest, OnlyWrongBytesLeadToTheNextServer) {
  const auto full_disk = [](const fs::path&) { throw ResourceError("the disk is full"); };
  expect_error<ResourceError>(
      [&] {
        download({.urls = {url("good"), url("to-https")},
                  .file = file_,
                  .most_bytes = 20'000,
                  .keep = full_disk,
                  .otherwise = ""});
      },
      {"the disk is full"});
  EXPECT_EQ(server_->take_requests(), "/good/data -\n");
  expect_fetched({url("good")});  // from the complete part
  EXPECT_EQ(server_->take_requests(), "/good/data bytes=10000-\n");
}

}  // namespace
}  // namespace rwa::paper
