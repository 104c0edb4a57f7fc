// src/bench/peers.h: recurrent layers of other libraries, timed by helper programs
// (src/bench/peers/) that run as child processes, so that `rwa` links none of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bench/measure.h"
#include "bench/plan.h"
#include "bench/processes.h"

namespace rwa::bench {

// Helpers in Python, part of this program: a copy of it finds them everywhere.
extern const std::string_view kTorchPeers, kJaxPeers;

class Peers {
 public:
  // say: gets one line for each warning of a helper and for each skipped peer.
  Peers(double limit_seconds, std::function<void(const std::string&)> say);

  // Empty if the peer is missing or failed; `say` then gets the reason.
  std::optional<Sample> measure(const Case& what, double seconds);

  // What was left out and why, in one line: "a, b (reason); c (reason)". Empty if nothing was.
  [[nodiscard]] std::string left_out() const;

 private:
  std::optional<Sample> leave_out(const std::string& what, const std::string& reason);
  std::optional<Sample> explain_failure(const Case& what, const Outcome& outcome);
  void pass_on_warnings(const Outcome& outcome);
  void say_once(const std::string& line);

  double limit_seconds_;
  std::function<void(const std::string&)> say_;
  std::set<std::string> said_;
  std::map<std::string, std::set<std::string>> left_out_;  // by reason
};

}  // namespace rwa::bench
