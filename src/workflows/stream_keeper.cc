#include "workflows/stream_keeper.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "io/lock.h"
#include "io/quote.h"
#include "rwa/errors.h"
#include "workflows/stream.h"

namespace rwa::workflows {
namespace {

io::Descriptor open_to_read(const std::filesystem::path& file) {
  io::Descriptor descriptor(io::repeat_if_interrupted(
      [&] { return ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }));
  if (!descriptor.is_open()) io::throw_refusal("open", file, errno);
  return descriptor;
}

}  // namespace

StreamKeeper::StreamKeeper(Streams& streams, std::filesystem::path file)
    : streams_(streams), file_(std::move(file)) {
  if (std::error_code error; std::filesystem::exists(file_, error)) {
    ours_.emplace(lock());
    restore();
  }
  save(false);
}

// The process that has the lock may replace the file while this one waits for it.
io::Descriptor StreamKeeper::lock() const {
  const auto end = Clock::now() + io::kPatience;
  do {
    io::Descriptor state = open_to_read(file_);
    const io::Lock lock = io::take_lock(state, end);
    if (lock != io::Lock::kByAnother && io::is_at(file_, state)) return state;
  } while (Clock::now() < end);
  throw ConfigError(fmt::format(
      "{}: another process saves its state there: choose another file (--state)", file_.string()));
}

void StreamKeeper::restore() {
  StreamState found = read_stream_state(file_, streams_.model());
  found_ = found.progress;
  note_ = fmt::format("{}: going on with {}", file_.string(),
                      counted(found.streams.size(), "unfinished sequence"));
  if (found_.lines > 0) {
    note_ += fmt::format(", saved after line {} of their input", in_thousands(found_.lines));
  }
  if (!found_.ended) note_ += "; the last run was killed, and what it answered later is not kept";
  streams_.set_all(std::move(found.streams));
  if (found_.header.empty()) return;
  if (const std::string* lacking = streams_.set_header(found_.header)) {
    throw ModelFileError(fmt::format("{}: found a header without {}, a feature of the model",
                                     file_.string(), io::quote(*lacking)));
  }
  note_ += fmt::format("; columns in the order of their header: {}", fmt::join(found_.header, ", "));
}

void StreamKeeper::see_answer() {
  if (!due_) due_ = Clock::now() + interval_;
}

std::optional<StreamKeeper::Clock::duration> StreamKeeper::due_in() const {
  if (!due_) return std::nullopt;
  return std::max(*due_ - Clock::now(), Clock::duration::zero());
}

void StreamKeeper::save_if_due() {
  if (due_ && Clock::now() >= *due_) save(false);
}

void StreamKeeper::end() { save(true); }

// A run that has answered nothing leaves the place of the run before.
StreamProgress StreamKeeper::progress(bool ended) const {
  const bool is_new = streams_.lines() > 0;
  return {.lines = is_new ? streams_.lines() : found_.lines,
          .ended = ended && (is_new || found_.ended),
          .header = streams_.header()};
}

void StreamKeeper::require_ours() const {
  std::error_code error;
  if (!std::filesystem::exists(file_, error) || (ours_ && io::is_at(file_, *ours_))) return;
  throw ResourceError(fmt::format(
      "{}: another process has replaced the state of this one: choose another file (--state)",
      file_.string()));
}

void StreamKeeper::save(bool ended) {
  require_ours();
  const auto begin = Clock::now();
  try {
    ours_.emplace(write_stream_state(file_, streams_.model(), streams_.all(), progress(ended)));
  } catch (const ResourceError& error) {
    if (!saved_lines_) throw;
    throw ResourceError(fmt::format("{}; the state in the file is that after line {}", error.what(),
                                    in_thousands(*saved_lines_)));
  }
  saved_lines_ = streams_.lines();
  due_.reset();
  interval_ = std::max<Clock::duration>(std::chrono::seconds(1), 10 * (Clock::now() - begin));
}

}  // namespace rwa::workflows
