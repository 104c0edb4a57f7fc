// cli/interrupt.h: Ctrl-C and similar signals set a flag, so that work can stop with a checkpoint.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string_view>

namespace rwa::cli {

// Work stopped early, with its state saved if there is any: exit code 6.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Installs handlers: the first Ctrl-C, SIGTERM or SIGHUP sets the flag, a second of the same kind
// ends the process at once. Signals that were ignored at the start (nohup) stay ignored. SIGPIPE
// and SIGXFSZ are ignored, so that the failing write reports an error.
const std::atomic<bool>& watch_for_interrupts();

// Sets the flag.
void interrupt();

// Sets the flag after this many seconds (more than 0).
void interrupt_after(double seconds);

// "out of time" if interrupt_after() set the flag first, else "interrupted".
std::string_view cause_of_interrupt();

}  // namespace rwa::cli
