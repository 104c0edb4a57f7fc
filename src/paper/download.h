// src/paper/download.h: downloads a file over TLS from the first of several servers that has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rwa::paper {

struct Download {
  // Tried in order. Only https, also after redirects.
  std::vector<std::string> urls;
  // The file to write. Partial transfers are kept beside it as FILE.xxxxxxxx.part, one per URL,
  // since servers may compress a file differently.
  std::filesystem::path file;
  std::uint64_t most_bytes = 0;  // longer transfers are refused
  // Checks a complete transfer and installs its content. Throws InputError if the content is wrong;
  // the part is then removed.
  std::function<void(const std::filesystem::path& part)> keep;
  std::string otherwise;  // the alternative to a download: the last line of the error message
};

// Resumes broken transfers and parts left by an earlier call; fetches the whole file again if a
// resumed part has wrong content. Uses the proxies of curl's environment variables. CURL_CA_BUNDLE
// or SSL_CERT_FILE replaces the system's certificates.
//
// Throws an error that lists the failure of each URL: InputError if one sent wrong content,
// otherwise ResourceError. Throws ResourceError if the part cannot be written or another process is
// writing it. A build without libcurl fails for each URL.
void download(const Download& wanted);

}  // namespace rwa::paper
