#include "interrupt.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <initializer_list>

#include <sys/time.h>

namespace rwa::cli {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> out_of_time{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not block");

void on_signal(int /*signal*/) { interrupt(); }

void on_alarm(int /*signal*/) {
  if (!interrupted) out_of_time = true;
  interrupted = true;
}

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
  // The write that meets a closed pipe or a file size limit reports it.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  return interrupted;
}

void interrupt() { interrupted = true; }

void interrupt_after(double seconds) {
  struct sigaction action {};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  const double whole = std::floor(seconds);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  // A timer of 0 would never fire.
  if (whole < 1) timer.it_value.tv_usec = std::max<suseconds_t>(timer.it_value.tv_usec, 1);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

std::string_view cause_of_interrupt() { return out_of_time ? "out of time" : "interrupted"; }

}  // namespace rwa::cli
