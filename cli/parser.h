// cli/parser.h: commands, options and their help. CLI11 does the parsing, behind parser.cc: every
// file that includes it takes seconds longer to compile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "numbers.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rwa::cli {

// Command and Option are handles: the parser owns what they refer to.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  // Ends the help with the value that the option has now: "Sequences per batch [32]".
  Option show_default() const;
  // What stands for the value in the help: "--json FILE".
  Option value_name(const std::string& name) const;
  Option group(const std::string& title) const;
  // Replaces the help.
  Option help(const std::string& text) const;
  // A list takes one value each time it is given, and leaves the next argument alone.
  Option one_value_per_use() const;
  // The parser refuses a path where there is nothing, or not what it must be.
  Option must_exist() const;
  Option must_be_file() const;
  Option must_be_folder() const;
  Option excludes(const Option& other) const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_command(const std::string& name, const std::string& summary) const;
  // A name without dashes is a positional argument. Values live as long as the parser; they may not
  // be ''. What is not a list is given once. For the types that parser.cc instantiates.
  template <class T>
  Option add_option(const std::string& name, T& value, const std::string& help) const;
  // Every number has a range, which ends the help. A list is one argument: "100,1000".
  template <class T>
  Option add_number(const std::string& name, T& value,
                    const io::Range<typename NumbersIn<T>::Type>& range,
                    const std::string& help) const;
  // A list of names is one argument, too: "a,b".
  Option add_list(const std::string& name, std::vector<std::string>& values,
                  const std::string& help) const;
  // Seconds, or a time such as 1h30m.
  Option add_duration(const std::string& name, std::optional<double>& seconds,
                      const std::string& help) const;
  // "--name=false" turns it off.
  Option add_flag(const std::string& name, bool& value, const std::string& help) const;
  // As text, empty if it is not given.
  Option add_flag(const std::string& name, std::string& value, const std::string& help) const;
  // Examples and notes at the end of the help.
  void set_footer(const std::string& text) const;
  void set_action(std::function<void()> action) const;

  [[nodiscard]] Option option(const std::string& name) const;  // one that was added
  [[nodiscard]] bool has(const std::string& option) const;     // whether it was given

 private:
  CLI::App* app_;
};

// What was typed is not a command of the program. The message names the help to read.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Parser {
 public:
  Parser(const std::string& name, const std::string& summary);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  [[nodiscard]] Command program() const;
  // `help COMMAND...` prints what `COMMAND... --help` does. Add it after the other commands.
  void add_help_command() const;
  // --version prints what `version` returns.
  void set_version(std::function<std::string()> version) const;

  // Runs the action of the command that the arguments name, or prints help or version. Without a
  // command, prints the help to standard error and returns false. Throws UsageError, and whatever
  // the action throws.
  [[nodiscard]] bool run(int argc, const char* const* argv) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace rwa::cli
