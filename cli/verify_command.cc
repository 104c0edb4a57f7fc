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

using Paths = std::vector<std::filesystem::path>;

// Checks every file. Throws an error of the type of the first one that was found.
class Verifier {
 public:
  void verify(const Paths& paths) {
    if (paths.size() == 1) return print(paths.front());
    for (const auto& path : paths) verify(path);
    if (fail_) fail_(fmt::format("{} of {} not valid", bad_, counted(paths.size(), "file")));
  }

 private:
  void verify(const std::filesystem::path& path) {
    try {
      print(path);
    } catch (const InputError& error) {
      remember(error);
    } catch (const ModelFileError& error) {
      remember(error);
    } catch (const ConfigError& error) {
      remember(error);
    } catch (const ResourceError& error) {
      remember(error);
    }
  }
  static void print(const std::filesystem::path& path) {
    fmt::print("{}: {}\n", path.string(), workflows::verify(path));
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
