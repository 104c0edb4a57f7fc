// src/paper/download.h: one file from the first of several places that has it, over TLS.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rwa::paper {

struct Download {
  // Tried in turn. Only https, also where a server sends us elsewhere.
  std::vector<std::string> urls;
  // What is wanted. A transfer grows beside it, in FILE.xxxxxxxx.part, one per URL, since copies of
  // a file may be packed differently.
  std::filesystem::path file;
  std::uint64_t most_bytes = 0;  // a longer transfer is refused
  // Checks a complete transfer and puts what it holds in its place. Throws InputError where it is
  // not what was wanted: the part is then removed.
  std::function<void(const std::filesystem::path& part)> keep;
  std::string otherwise;  // what people can do without it: the last line of the message
};

// A part that an earlier call left is continued (and fetched anew where that ends in wrong bytes),
// and so is a transfer that breaks off. Proxies are those of curl's environment variables;
// CURL_CA_BUNDLE, or SSL_CERT_FILE, names other certificates to trust than the system's.
//
// Throws what was the matter with each URL: InputError where one had wrong bytes, ResourceError
// where none answered. Also ResourceError where the part cannot be written or another process is
// writing it.
void download(const Download& wanted);

}  // namespace rwa::paper
