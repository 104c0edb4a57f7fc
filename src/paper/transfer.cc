#include "paper/transfer.h"

#include <array>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>

#include "rwa/errors.h"

namespace rwa::paper {
namespace {

constexpr long kConnectSeconds = 15;
constexpr long kStalledSeconds = 30;
constexpr long kRedirects = 5;

constexpr long kOk = 200;
constexpr long kPartialContent = 206;
constexpr long kRangeNotSatisfiable = 416;

// As the program curl does; the library itself looks at neither.
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
    // Nothing is left to ask for: the part was complete, or longer than what the server has.
    if (asked_from_ > 0 && status() == kRangeNotSatisfiable) return;
    if (!begin()) throw TransferError(fmt::format("the server answers with status {}", status()));
  }

 private:
  struct Free {
    void operator()(CURL* curl) const noexcept { curl_easy_cleanup(curl); }
  };

  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode result = curl_easy_setopt(curl_.get(), option, value);
    if (result != CURLE_OK) {
      throw ResourceError(fmt::format("{}: cannot download: libcurl refuses its option {}: {}",
                                      url_, static_cast<int>(option), curl_easy_strerror(result)));
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
    // Not CURLOPT_RESUME_FROM: it makes an error of a server that ignores the range.
    if (asked_from_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", asked_from_).c_str());
  }

  [[nodiscard]] long status() const {
    long code = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  // Before the first byte, or the end of an answer without any. False where what comes is not the
  // file but the server's excuse.
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
      throw InputError(
          fmt::format("found more than {} bytes, expected no more than that", most_bytes_));
    }
    part_.append(bytes);
  }

  // Called from C, which no exception may pass through.
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
            "the server's certificate is not to be trusted: {} (CURL_CA_BUNDLE or SSL_CERT_FILE "
            "can name a file of others that are)",
            said);
      case CURLE_UNSUPPORTED_PROTOCOL:
        return fmt::format("only https is allowed, also where a server sends us elsewhere: {}",
                           said);
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

}  // namespace

void transfer(const std::string& url, PartFile& part, std::uint64_t most_bytes) {
  Transfer(url, part, most_bytes).run();
}

}  // namespace rwa::paper
