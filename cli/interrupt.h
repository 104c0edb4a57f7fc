// cli/interrupt.h: Ctrl-C and its like ask for an end in good order instead of being one.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string_view>

namespace rwa::cli {

// Work was left with a checkpoint: exit code 6.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// From now on the first Ctrl-C, SIGTERM or SIGHUP sets the flag; a second of the same kind ends the
// process at once. What the caller of the program had set to be ignored (nohup) stays ignored. A pipe
// whose reader is gone, and a file that may not grow, no longer end the process either.
const std::atomic<bool>& watch_for_interrupts();

// Sets the flag when this many seconds, more than 0, have passed.
void interrupt_after(double seconds);

// "interrupted", or "out of time" where nobody did it before the time had passed.
std::string_view cause_of_interrupt();

}  // namespace rwa::cli
