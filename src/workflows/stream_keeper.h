// src/workflows/stream_keeper.h: keeps the state of streams in a file while they go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/descriptor.h"
#include "workflows/stream_state.h"

namespace rwa::workflows {

class Streams;

// Saves within a second of an answer, or ten times as long as saving takes: a process that is killed
// loses no more, and the next one says so.
class StreamKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  // Goes on from the file if it exists, and writes it, so that a file that cannot be written is
  // refused before the first answer. The streams must outlive it. Throws as read_stream_state() and
  // write_stream_state() do, and ConfigError if another process keeps its streams there.
  StreamKeeper(Streams& streams, std::filesystem::path file);

  // Where this run goes on, and what is lost if the last one was killed; empty: there was no file.
  [[nodiscard]] const std::string& note() const { return note_; }

  // Call when an answer is written.
  void see_answer();
  // The time until there is something to save; empty: nothing has changed.
  [[nodiscard]] std::optional<Clock::duration> due_in() const;
  void save_if_due();
  // Saves the last state of the run.
  void end();

 private:
  void restore();
  void save(bool ended);
  [[nodiscard]] StreamProgress progress(bool ended) const;
  [[nodiscard]] io::Descriptor lock() const;
  void require_ours() const;

  Streams& streams_;
  std::filesystem::path file_;
  std::optional<io::Descriptor> ours_;  // the file as it was read or saved last, locked
  StreamProgress found_;
  std::string note_;
  std::optional<std::int64_t> saved_lines_;
  Clock::duration interval_ = std::chrono::seconds(1);
  std::optional<Clock::time_point> due_;
};

}  // namespace rwa::workflows
