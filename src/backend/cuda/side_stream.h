// src/backend/cuda/side_stream.h: fork and join of streams: a backend's second stream runs beside
// its main one, or the backend's stream runs inside a caller's.
#pragma once

#include "backend/cuda/runtime.h"

namespace rwa::cuda {

// Forks `side` off `main` in the constructor; in the destructor `main` waits for `side`. A capture
// of the main stream includes both. The destructor ignores errors: the next call reports them.
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

  // Forks this stream off `main`, from here on.
  [[nodiscard]] Fork fork(cudaStream_t main) { return {events_, stream_, main}; }

  // Sends the context's work to the side stream for the lifetime of this object.
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
