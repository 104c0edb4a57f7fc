// tests/paper/tls_server.h: a local HTTPS server (tls_server.py) for download tests.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "io/io_testing.h"

namespace rwa::paper {

class TlsServer {
 public:
  TlsServer() {
    std::filesystem::create_directory(files());
    const std::string command = fmt::format("exec python3 '{}/../paper/tls_server.py' '{}'",
                                            RWA_TEST_DATA, folder_.path().string());
    process_ = ::popen(command.c_str(), "we");
    for (int i = 0; i < 3000 && io::get(folder_.path() / "port").empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    port_ = io::get(folder_.path() / "port");
    if (port_.empty()) throw std::runtime_error("the server does not start: " + command);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;
  ~TlsServer() { ::pclose(process_); }

  // The folder that it serves.
  std::filesystem::path files() const { return folder_.path() / "files"; }
  std::filesystem::path certificate() const { return folder_.path() / "certificate.pem"; }
  std::string url(std::string_view manner, std::string_view host = "localhost") const {
    return fmt::format("https://{}:{}/{}", host, port_, manner);
  }

  // Returns "PATH RANGE" for each request since the last call.
  std::string take_requests() {
    const std::string requests = io::get(folder_.path() / "requests");
    std::filesystem::remove(folder_.path() / "requests");
    return requests;
  }

  // From now on, trusts this server and bypasses proxies.
  void trust() const {
    ::setenv("no_proxy", "localhost,127.0.0.1", 1);
    ::setenv("CURL_CA_BUNDLE", certificate().c_str(), 1);
    ::unsetenv("SSL_CERT_FILE");
  }

 private:
  io::TempFolder folder_;
  std::FILE* process_ = nullptr;
  std::string port_;
};

}  // namespace rwa::paper
