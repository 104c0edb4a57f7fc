// tests/package/main.cc: an external program that uses the installed library: builds, runs, saves
// and loads a model, and catches an error.
#include <rwa/rwa.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  rwa::Model model({.inputs = 2, .cell = rwa::Cell::kLstm, .units = 16, .outputs = 3});
  const std::vector<float> x(5 * 4 * 2, 0.5f);
  const rwa::BatchView batch{.x = x, .steps = 5, .batch = 4};
  std::vector<float> y(4 * 3);
  rwa::Session(model).run(batch, y);

  const char* file = argc > 1 ? argv[1] : "outside.safetensors";
  model.save(file);
  std::vector<float> again(y.size());
  rwa::Session(rwa::Model::load(file)).run(batch, again);
  try {
    rwa::Model({.units = -1});
  } catch (const rwa::ConfigError& error) {
    std::printf("rwa %s: %s\n", rwa::version().data(), error.what());
    return y == again ? 0 : 1;
  }
  return 1;
}
