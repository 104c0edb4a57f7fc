#include "workflows/stream_keeper.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"
#include "rwa/errors.h"
#include "workflows/stream.h"
#include "workflows/stream_state.h"

namespace rwa::workflows {

StreamKeeper::StreamKeeper(Streams& streams, std::filesystem::path file)
    : streams_(streams), file_(std::move(file)) {
  if (std::error_code error; std::filesystem::exists(file_, error)) restore();
  save(false);
}

void StreamKeeper::restore() {
  StreamState found = read_stream_state(file_, streams_.model());
  const auto& [lines, ended] = found.progress;
  note_ = fmt::format("{}: going on with {}", file_.string(),
                      counted(found.streams.size(), "unfinished sequence"));
  if (lines > 0) note_ += fmt::format(", after line {} of the last input", in_thousands(lines));
  if (!ended) note_ += "; the last run was killed, and what it answered later is not kept";
  streams_.set_all(std::move(found.streams));
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

void StreamKeeper::save(bool ended) try {
  const auto begin = Clock::now();
  write_stream_state(file_, streams_.model(), streams_.all(),
                     {.lines = streams_.lines(), .ended = ended});
  saved_lines_ = streams_.lines();
  due_.reset();
  interval_ = std::max<Clock::duration>(std::chrono::seconds(1), 10 * (Clock::now() - begin));
} catch (const ResourceError& error) {
  if (!saved_lines_) throw;
  throw ResourceError(fmt::format("{}; the state in the file is that after line {}", error.what(),
                                  in_thousands(*saved_lines_)));
}

}  // namespace rwa::workflows
