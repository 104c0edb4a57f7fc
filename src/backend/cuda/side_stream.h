// src/backend/cuda/side_stream.h: work of one stream in the midst of another's: beside it, on a
// second stream of a backend, or instead of it, where the other is a caller's.
#pragma once

#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// While it lives, `side` goes on from where `main` was at its beginning; then main waits for side.
// A recording of the main stream has both. What goes wrong at the end goes wrong in the next call
// too.
class Fork {
 public:
  struct Events {
    Event begin, end;
  };

  Fork(Events& events, cudaStream_t side, cudaStream_t main)
      : events_(events), side_(side), main_(main) {
    events_.begin.record(main_);
    events_.begin.hold(side_);
  }
  ~Fork() {
    try {
      events_.end.record(side_);
      events_.end.hold(main_);
    } catch (...) {
    }
  }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

 private:
  Events& events_;
  cudaStream_t side_, main_;
};

class SideStream {
 public:
  SideStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~SideStream() { (void)cudaStreamDestroy(stream_); }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  // Beside the main stream, from here on.
  [[nodiscard]] Fork fork(cudaStream_t main) { return {events_, stream_, main}; }

  // While it lives, the context's work goes to the side stream.
  class Turn {
   public:
    Turn(const SideStream& side, Context& context) : context_(context), main_(context.stream) {
      context_.stream = side.stream_;
    }
    ~Turn() { context_.stream = main_; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Context& context_;
    cudaStream_t main_;
  };

 private:
  cudaStream_t stream_ = nullptr;
  Fork::Events events_;
};

}  // namespace rwa::cuda
