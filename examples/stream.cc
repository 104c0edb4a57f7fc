// examples/stream.cc: streams through a saved model: predicts after every step, saves its state and
// resumes from it. Usage: stream MODEL-FILE   (written by examples/adding)
#include <cstdio>
#include <exception>
#include <vector>

#include "rwa/rwa.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL-FILE\n", argv[0]);
    return 2;
  }
  const rwa::Model model = rwa::Model::load(argv[1]);
  rwa::Stream stream(model);
  std::vector<float> state;
  for (int t = 0; t < 30; ++t) {
    const bool marked = t == 7 || t == 19;
    const float x[] = {marked ? 1.0f : 0.0f, 0.4f};
    float y[1];
    stream.step(x, y);
    if (t % 10 == 9) std::printf("after step %2d: %.3f\n", t + 1, static_cast<double>(y[0]));
    if (t == 14) {  // the state could be written to a file here and restored later
      state.assign(stream.state().begin(), stream.state().end());
      stream = rwa::Stream(model);
      stream.set_state(state);
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "stream: %s\n", error.what());
  return 1;
}
