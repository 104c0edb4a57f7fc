// tests/training/run_experiment.cc: runs an experiment as the program does, for kill_test.py:
//   run_experiment CONFIG.toml FOLDER [--checkpoint-seconds S]
// The exit codes are those of the program. Steps overlap as on a GPU, so that as much as possible
// is pending when the process is killed.
#include <csignal>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "io/read_file.h"
#include "rwa/errors.h"
#include "training/loop.h"

namespace {

std::atomic<bool> stop{false};

int run(int count, char** arguments) {
  const std::filesystem::path config = arguments[1];
  rwa::training::Options options;
  options.stop = [] { return stop.load(); };
  options.overlap = true;
  if (count == 5 && std::string_view(arguments[3]) == "--checkpoint-seconds") {
    options.checkpoint_seconds = std::strtod(arguments[4], nullptr);
  }
  const auto experiment =
      rwa::training::parse_experiment(rwa::io::read_text(config), config.string());
  const auto outcome = rwa::training::run(experiment, arguments[2], options, {});
  return outcome == rwa::training::Outcome::kInterrupted ? 6 : 0;
}

int fail(int code, const rwa::Error& error) {
  std::cerr << error.what() << '\n';
  return code;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 5) {
    std::cerr << "usage: run_experiment CONFIG.toml FOLDER [--checkpoint-seconds S]\n";
    return 2;
  }
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { stop = true; });
  try {
    return run(count, arguments);
  } catch (const rwa::ConfigError& error) {
    return fail(2, error);
  } catch (const rwa::InputError& error) {
    return fail(3, error);
  } catch (const rwa::ModelFileError& error) {
    return fail(4, error);
  } catch (const rwa::DivergenceError& error) {
    return fail(5, error);
  } catch (const rwa::Error& error) {
    return fail(7, error);
  }
}
