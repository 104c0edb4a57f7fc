// src/paper/no_curl/no_curl.cc: stands in for src/paper/curl in a build without libcurl.
#include <fmt/format.h>

#include "paper/download.h"
#include "rwa/errors.h"

namespace rwa::paper {

void download(const Download& wanted) {
  std::string failures = fmt::format("{}: cannot download", wanted.file.string());
  for (const std::string& url : wanted.urls) {
    failures += fmt::format("\n  {}: this build has no libcurl (-DRWA_DOWNLOADS=ON)", url);
  }
  throw ResourceError(fmt::format("{}\n{}", failures, wanted.otherwise));
}

}  // namespace rwa::paper
