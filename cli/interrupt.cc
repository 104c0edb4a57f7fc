#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace rwa::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait");

void on_signal(int /*signal*/) { interrupted = true; }

}  // namespace

const std::atomic<bool>& watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the second is not caught
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      ::sigaction(signal, &action, nullptr);
    }
  }
  // A reader that is gone and a file that may not grow are errors of the call that meets them.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  return interrupted;
}

}  // namespace rwa::cli
