#include "workflows/stream_serve.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/write.h"
#include "rwa/errors.h"

namespace rwa::workflows {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 26;

// Waits until there is something to read, or until `stop`: false then. A signal between the
// question and the wait would be missed; so they come only while it waits, and before the question.
bool wait_for_input(int in, const std::atomic<bool>& stop) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pollfd input{.fd = in, .events = POLLIN, .revents = 0};
  int ready = 0;
  while (!stop && ready == 0) {
    ready = ::ppoll(&input, 1, nullptr, &before);
    if (ready < 0 && errno == EINTR) ready = 0;
  }
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (ready < 0) io::throw_refusal("wait for", "standard input", error);
  return !stop;
}

}  // namespace

bool serve(Streams& streams, int in, int out, const std::atomic<bool>& stop) {
  const io::Descriptor output(::dup(out));
  if (!output.is_open()) io::throw_refusal("write to", "standard output", errno);
  const auto answer = [&](std::string_view line) {
    const std::string_view text = streams.answer(line);
    io::write_all(output, std::as_bytes(std::span(text)), "standard output");
  };
  std::array<char, 1 << 16> piece;
  std::string begun;  // a line whose end has not come yet
  while (wait_for_input(in, stop)) {
    const ssize_t count = ::read(in, piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    // A terminal that is gone has nothing more to say.
    if (count < 0 && errno != EIO) io::throw_refusal("read", "standard input", errno);
    if (count <= 0) {
      if (!begun.empty()) answer(begun);
      return true;
    }
    std::string_view rest(piece.data(), static_cast<std::size_t>(count));
    for (auto end = rest.find('\n'); end != rest.npos && !stop; end = rest.find('\n')) {
      begun += rest.substr(0, end);
      rest.remove_prefix(end + 1);
      answer(begun);
      begun.clear();
    }
    begun += rest;
    if (begun.size() > kLongestLine) {
      throw InputError(fmt::format("stdin: found a line of more than {} MiB, expected steps",
                                   kLongestLine >> 20));
    }
  }
  return false;
}

}  // namespace rwa::workflows
