#include "paper/download.h"

#include <span>

#include <fmt/format.h>

#include "io/sha256.h"
#include "paper/part_file.h"
#include "paper/transfer.h"
#include "rwa/errors.h"

namespace rwa::paper {
namespace {

namespace fs = std::filesystem;

fs::path part_of(const Download& wanted, const std::string& url) {
  fs::path part = wanted.file;
  part += fmt::format(".{}.part", io::sha256(std::as_bytes(std::span(url))).substr(0, 8));
  return part;
}

// As long as each attempt gets further than the one before.
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
  // Wrong bytes condemn the server only where all of them came just now.
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

// Those of the other servers: remnants, in the way of nothing.
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
