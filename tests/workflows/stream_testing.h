// tests/workflows/stream_testing.h: lines for streams.
#pragma once

#include <string>
#include <vector>

#include "workflows/stream.h"

namespace rwa::workflows {

// All answers to these lines.
inline std::string answers_to(Streams& streams, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += streams.answer(line);
  return text;
}

}  // namespace rwa::workflows
