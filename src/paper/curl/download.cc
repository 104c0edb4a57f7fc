// src/paper/curl/download.cc: the partial file, one libcurl request to one server, and the loop
// over the servers.
#include "paper/download.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include <curl/curl.h>
#include <fmt/format.h>

#include "io/descriptor.h"
#include "io/lock.h"
#include "io/sha256.h"
#include "io/write.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

// The part of a file that has arrived so far. Locked against other processes, and still there after
// a crash. Throws ResourceError if the system refuses or another process has the part open.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  // Removes the file if it is empty; otherwise it can be resumed.
  ~PartFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  void append(std::span<const std::byte> bytes);
  void clear();

 private:
  std::filesystem::path path_;
  io::Descriptor descriptor_;
  std::uint64_t size_;
};

std::uint64_t size_of(const io::Descriptor& descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) io::throw_refusal("inspect", path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

io::Descriptor open_and_lock(const std::filesystem::path& path) {
  while (true) {
    io::Descriptor descriptor = io::open_to_append(path);
    // The system releases the lock when the process ends, however it ends.
    if (io::take_lock(descriptor) == io::Lock::kByAnother) {
      throw ResourceError(fmt::format("{}: another process is downloading it", path.string()));
    }
    // Its previous owner may have removed the file between the two calls.
    if (io::is_at(path, descriptor)) return descriptor;
  }
}

PartFile::PartFile(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(open_and_lock(path_)),
      size_(size_of(descriptor_, path_)) {}

PartFile::~PartFile() {
  if (size_ == 0) ::unlink(path_.c_str());
}

void PartFile::append(std::span<const std::byte> bytes) {
  io::write_all(descriptor_, bytes, path_);
  size_ += bytes.size();
}

void PartFile::clear() {
  if (::ftruncate(descriptor_.get(), 0) != 0) io::throw_refusal("empty", path_, errno);
  size_ = 0;
}

// The server cannot be reached, is not trusted, refuses, or closed the connection. The part has
// what arrived.
class TransferError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr long kConnectSeconds = 15;
constexpr long kStalledSeconds = 30;
constexpr long kRedirects = 5;

constexpr long kOk = 200;
constexpr long kPartialContent = 206;
constexpr long kRangeNotSatisfiable = 416;

// The variables that the curl program reads; libcurl itself ignores them.
const char* certificates() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* file = std::getenv(name);
    if (file != nullptr && *file != '\0') return file;
  }
  return nullptr;
}

class Transfer {
 public:
  Transfer(const std::string& url, PartFile& part, std::uint64_t most_bytes)
      : url_(url), part_(part), most_bytes_(most_bytes), asked_from_(part.size()) {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready == CURLE_OK) curl_.reset(curl_easy_init());
    if (curl_ == nullptr) throw ResourceError("cannot download: libcurl cannot be started");
    set_trust();
    set_request();
  }

  void run() {
    const CURLcode result = curl_easy_perform(curl_.get());
    if (refusal_ != nullptr) std::rethrow_exception(refusal_);
    if (result != CURLE_OK) throw TransferError(reason(result));
    // The part was already complete, or longer than the server's file.
    if (asked_from_ > 0 && status() == kRangeNotSatisfiable) return;
    if (!begin()) throw TransferError(fmt::format("the server answered with status {}", status()));
  }

 private:
  struct Free {
    void operator()(CURL* curl) const noexcept { curl_easy_cleanup(curl); }
  };

  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode result = curl_easy_setopt(curl_.get(), option, value);
    if (result != CURLE_OK) {
      throw ResourceError(fmt::format("{}: cannot download: libcurl refuses option {}: {}", url_,
                                      static_cast<int>(option), curl_easy_strerror(result)));
    }
  }

  void set_trust() {
    set(CURLOPT_PROTOCOLS_STR, "https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "https");
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (const char* file = certificates()) set(CURLOPT_CAINFO, file);
  }

  void set_request() {
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_USERAGENT, "rwa");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kRedirects);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kStalledSeconds);
    set(CURLOPT_ERRORBUFFER, message_.data());
    set(CURLOPT_WRITEFUNCTION, &Transfer::receive);
    set(CURLOPT_WRITEDATA, this);
    // Not CURLOPT_RESUME_FROM, which fails if the server ignores the range.
    if (asked_from_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", asked_from_).c_str());
  }

  [[nodiscard]] long status() const {
    long code = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  // Called before the first byte, or at the end of an empty response. False if the response is an
  // error page instead of the file.
  bool begin() {
    if (begun_) return true;
    const long code = status();
    begun_ = code == kOk || (code == kPartialContent && asked_from_ > 0);
    if (code == kOk) part_.clear();
    return begun_;
  }

  void append(std::span<const std::byte> bytes) {
    if (!begin()) return;
    if (part_.size() + bytes.size() > most_bytes_) {
      throw InputError(fmt::format("found more than {0} bytes, expected at most {0}", most_bytes_));
    }
    part_.append(bytes);
  }

  // Called from C: exceptions must not escape.
  static std::size_t receive(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    try {
      transfer.append(std::as_bytes(std::span(data, size * count)));
      return size * count;
    } catch (...) {
      transfer.refusal_ = std::current_exception();
      return CURL_WRITEFUNC_ERROR;
    }
  }

  [[nodiscard]] std::string reason(CURLcode result) const {
    std::string said = message_[0] != '\0' ? message_.data() : curl_easy_strerror(result);
    switch (result) {
      case CURLE_PEER_FAILED_VERIFICATION:
        return fmt::format(
            "the server's certificate is not trusted: {} (set CURL_CA_BUNDLE or SSL_CERT_FILE to a "
            "file of certificates to trust)",
            said);
      case CURLE_UNSUPPORTED_PROTOCOL:
        return fmt::format("only https is allowed, also for redirects: {}", said);
      default:
        return said;
    }
  }

  const std::string& url_;
  PartFile& part_;
  const std::uint64_t most_bytes_;
  const std::uint64_t asked_from_;
  bool begun_ = false;
  std::exception_ptr refusal_;
  std::array<char, CURL_ERROR_SIZE> message_{};
  std::unique_ptr<CURL, Free> curl_;
};

// Requests what `part` lacks and appends it. Starts the part over if the server sends the whole
// file. Throws TransferError; InputError for more than `most_bytes`; ResourceError if the part
// cannot be written.
void transfer(const std::string& url, PartFile& part, std::uint64_t most_bytes) {
  Transfer(url, part, most_bytes).run();
}

fs::path part_of(const Download& wanted, const std::string& url) {
  fs::path part = wanted.file;
  part += fmt::format(".{}.part", io::sha256(std::as_bytes(std::span(url))).substr(0, 8));
  return part;
}

// Retries as long as each attempt makes progress.
void fetch_rest(const std::string& url, PartFile& part, std::uint64_t most_bytes) {
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t before = part.size();
    try {
      return transfer(url, part, most_bytes);
    } catch (const TransferError&) {
      if (attempt == kAttempts || part.size() <= before) throw;
    }
  }
}

void fetch(const std::string& url, const Download& wanted) {
  PartFile part(part_of(wanted, url));
  // Wrong content counts against the server only if all of it was fetched in this call.
  for (bool continued = part.size() > 0;; continued = false) {
    try {
      fetch_rest(url, part, wanted.most_bytes);
      wanted.keep(part.path());
      return part.clear();
    } catch (const InputError&) {
      part.clear();
      if (!continued) throw;
    }
  }
}

// Removes what other servers left.
void remove_parts(const Download& wanted) {
  for (const std::string& url : wanted.urls) {
    const fs::path path = part_of(wanted, url);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    try {
      PartFile(path).clear();
    } catch (const ResourceError&) {
      continue;  // another process is writing it
    }
  }
}

}  // namespace

void download(const Download& wanted) {
  std::string failures = fmt::format("{}: cannot download", wanted.file.string());
  bool wrong_bytes = false;
  for (const std::string& url : wanted.urls) {
    try {
      fetch(url, wanted);
      return remove_parts(wanted);
    } catch (const TransferError& error) {
      failures += fmt::format("\n  {}: {}", url, error.what());
    } catch (const InputError& error) {
      failures += fmt::format("\n  {}: {}", url, error.what());
      wrong_bytes = true;
    }
  }
  failures += fmt::format("\n{}", wanted.otherwise);
  if (wrong_bytes) throw InputError(failures);
  throw ResourceError(failures);
}

}  // namespace rwa::paper
