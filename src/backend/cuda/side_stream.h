// src/backend/cuda/side_stream.h: work beside other work, on a second stream of a backend.
#pragma once

#include "backend/cuda/runtime.h"

namespace rwa::cuda {

class SideStream {
 public:
  SideStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~SideStream() { (void)cudaStreamDestroy(stream_); }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  // Starts from where the main stream is now, which at the end of the fork waits for it. A
  // recording of the main stream has both. What goes wrong at the end goes wrong in the next call
  // too.
  class Fork {
   public:
    Fork(SideStream& side, cudaStream_t main) : side_(side), main_(main) {
      side_.begin_.record(main_);
      side_.begin_.hold(side_.stream_);
    }
    ~Fork() {
      try {
        side_.end_.record(side_.stream_);
        side_.end_.hold(main_);
      } catch (...) {
      }
    }
    Fork(const Fork&) = delete;
    Fork& operator=(const Fork&) = delete;

   private:
    SideStream& side_;
    cudaStream_t main_;
  };

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
  Event begin_, end_;
};

}  // namespace rwa::cuda
