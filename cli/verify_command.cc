// cli/verify_command.cc: `rwa verify`: checks that files are complete and valid.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/counted.h"
#include "commands.h"
#include "rwa/errors.h"
#include "say.h"
#include "workflows/inspect.h"

namespace rwa::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  rwa verify model.safetensors     A model: its network, weights and data encoding\n"
    "  rwa verify runs/vowels           A run: its configuration, checkpoint and model\n"
    "  rwa verify vowels.csv            Data: every line\n"
    "\n"
    "Exit code: 0 if all files are valid, 3 for bad data, 4 for a bad model or checkpoint. Of\n"
    "several bad files, the first decides.";

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

// Checks every file. Throws an error of the type of the first one that was found.
class Verifier {
 public:
  void verify(const Paths& paths) {
    if (paths.size() == 1 && !fs::is_directory(paths.front())) return print(paths.front());
    for (const auto& path : paths) verify(path);
    if (fail_) fail_(counted(bad_, "file") + " not valid");
  }

 private:
  void verify(const fs::path& path) {
    try {
      print(path);
    } catch (const InputError& error) {
      if (!find_in_folder(path)) remember(error);
    } catch (const ModelFileError& error) {
      remember(error);
    } catch (const ConfigError& error) {
      remember(error);
    } catch (const ResourceError& error) {
      remember(error);
    }
  }
  static void print(const fs::path& path) {
    fmt::print("{}: {}\n", path.string(), workflows::verify(path));
  }
  // Checks the files of a folder of data on their own. Returns whether one of them is bad.
  bool find_in_folder(const fs::path& folder) {
    const int before = bad_;
    for (const fs::path& file : workflows::files_in(folder)) {
      try {
        (void)workflows::verify(file);
      } catch (const InputError& error) {
        remember(error);
      }
    }
    return bad_ > before;
  }
  template <class Error>
  void remember(const Error& error) {
    say("rwa: {}\n", error.what());
    ++bad_;
    if (!fail_) fail_ = [](const std::string& message) { throw Error(message); };
  }

  int bad_ = 0;
  std::function<void(const std::string&)> fail_;
};

}  // namespace

void add_verify_command(const Command& app) {
  auto paths = std::make_shared<Paths>();
  const auto command = app.add_command("verify", "Check that files are complete and valid");
  command.add_option("FILE", *paths, "Models, checkpoints, run folders or data").required();
  command.set_footer(kExample);
  command.set_action([paths] { Verifier().verify(*paths); });
}

}  // namespace rwa::cli
