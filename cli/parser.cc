#include "parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "io/existing.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::cli {
namespace {

constexpr std::size_t kHelpColumn = 30;
constexpr std::size_t kLineWidth = 100;

// `name` and, from a fixed column on, `text`, wrapped.
std::string help_line(const std::string& name, const std::string& text) {
  std::string lines = "  " + name;
  std::size_t column = lines.size();
  if (column + 2 > kHelpColumn) {
    lines += '\n';
    column = 0;
  }
  lines.append(kHelpColumn - column, ' ');
  column = kHelpColumn;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool is_first = column == kHelpColumn;
    if (!is_first && column + 1 + word.size() > kLineWidth) {
      lines += '\n' + std::string(kHelpColumn, ' ') + word;
      column = kHelpColumn + word.size();
    } else {
      lines += (is_first ? "" : " ") + word;
      column += word.size() + (is_first ? 0 : 1);
    }
  }
  return lines + '\n';
}

bool takes_several(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    label("Positionals", "Arguments");
    label("OPTIONS", "OPTION...");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    return CLI::detail::find_and_replace(help, "\n\n\n", "\n\n");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    name = CLI::detail::find_and_replace(name, ",", ", ");  // "-h,--help"
    if (is_positional) {
      if (takes_several(*option)) name += "...";
    } else if (option->get_type_size() != 0) {
      name += " " + (option->get_option_text().empty() ? option->get_type_name()
                                                       : option->get_option_text());
    }
    return help_line(name, describe(*option));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return help_line(command->get_name(), command->get_description());
  }

 private:
  // CLI11 puts lists in brackets.
  static std::string default_of(const CLI::Option& option) {
    const std::string text = option.get_default_str();
    return text.starts_with('[') ? text.substr(1, text.size() - 2) : text;
  }
  static std::string describe(const CLI::Option& option) {
    std::string text = option.get_description();
    if (const std::string usual = default_of(option); !usual.empty()) {
      text += fmt::format(" [{}]", usual);
    }
    if (option.get_required() && option.nonpositional()) text += " (required)";
    for (const CLI::Option* other : option.get_excludes()) {
      text += fmt::format(" (not with {})", other->get_name());
    }
    return text;
  }
};

template <class T>
const char* type_name() {
  if constexpr (std::is_same_v<T, std::vector<int>>) {
    return "N[,N...]";
  } else if constexpr (std::is_integral_v<T>) {
    return "N";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "X";
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return "PATH";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "NAME";
  } else {
    return type_name<typename T::value_type>();  // of an optional value, or a list
  }
}

// The parts of all texts: a list may be given in several pieces. Throws ConfigError if one is empty.
std::vector<std::string> split_list(const std::string& option,
                                    const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      if (parts.back().empty()) {
        throw ConfigError(
            fmt::format("{} is {}, expected names separated by commas", option, io::quote(text)));
      }
      begin = end + 1;
    }
  }
  return parts;
}

std::string refuse_empty(const std::string& text) {
  return text.empty() ? "found '', expected a value" : "";
}

// One may be a pipe.
void require_file(const std::filesystem::path& path) {
  io::require_existing(path);
  if (!std::filesystem::is_directory(path)) return;
  throw ConfigError(fmt::format("{}: found a folder, expected a file", io::escape(path.string())));
}

void require_folder(const std::filesystem::path& path) {
  io::require_existing(path);
  if (std::filesystem::is_directory(path)) return;
  throw ConfigError(fmt::format("{}: found a file, expected a folder", io::escape(path.string())));
}

CLI::Option* check_path(CLI::Option* option, void (*check)(const std::filesystem::path&)) {
  const auto validate = [check](const std::string& path) {
    check(path);
    return std::string();
  };
  return option->check(CLI::Validator(validate, ""));
}

// Empty if there is none.
template <class T>
std::string default_text(const std::optional<T>& /*none*/) {
  return "";
}
template <class T>
std::string default_text(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}
template <class T>
std::string default_text(const T& value) {
  return fmt::format("{}", value);
}

// The last command that was understood: of "rwa paper run --nonsense", that is `run`.
CLI::App& innermost(CLI::App& app) {
  CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> names_of_commands(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool is_option(const std::string& argument) { return argument.starts_with('-'); }

// CLI11's own messages do not tell a command from an option.
std::string describe_unknown(CLI::App& command, const std::string& argument) {
  const auto commands = names_of_commands(command);
  const std::string name = is_option(argument) ? argument.substr(0, argument.find('=')) : argument;
  const char* kind = is_option(argument) ? "option" : commands.empty() ? "argument" : "command";
  const auto near = nearest(name, is_option(argument) ? names_of_options(command) : commands);
  if (!near.empty()) return fmt::format("unknown {} '{}'{}", kind, name, suggestion(name, near));
  const std::string expected =
      is_option(argument) || commands.empty()
          ? ""
          : fmt::format(", expected one of: {}", fmt::join(commands, ", "));
  return fmt::format("unknown {} '{}'{}; see {} --help", kind, name, expected, full_name(command));
}

// Throws UsageError for "--name=", which CLI11 takes for "--name".
void refuse_empty_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument(argv[i]);
    if (!argument.starts_with("--") || argument.find('=') + 1 != argument.size()) continue;
    const auto name = argument.substr(0, argument.size() - 1);
    throw UsageError(fmt::format("{} is '', expected a value after the =", name));
  }
}

// Returns an option that was given more often than it may be; null if there is none.
const CLI::Option* given_twice(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 1 && option->get_items_expected_max() <= 1) return option;
  }
  return nullptr;
}

std::string describe(CLI::App& app, const CLI::ParseError& error) {
  CLI::App& command = innermost(app);
  const auto unknown = app.remaining(true);
  // A required option that is missing may be there under a wrong name.
  const bool is_unknown =
      !unknown.empty() &&
      (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
       (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && is_option(unknown[0])));
  if (is_unknown) return describe_unknown(command, unknown[0]);
  const CLI::Option* twice = given_twice(command);
  const bool is_twice =
      twice != nullptr && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  return fmt::format("{}; see {} --help",
                     is_twice ? twice->get_name() + " is given twice" : error.what(),
                     full_name(command));
}

// Help is no answer to a command that does not exist.
void refuse_unknown_command(CLI::App& app) {
  CLI::App& command = innermost(app);
  const auto unknown = app.remaining(true);
  if (unknown.empty() || is_option(unknown[0]) || names_of_commands(command).empty()) return;
  throw UsageError(describe_unknown(command, unknown[0]));
}

// Prints the help of the command that the words name: "paper run".
void print_help_about(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* command = &app;
  for (const std::string& word : words) {
    const auto found =
        command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (found.empty()) throw UsageError(describe_unknown(*command, word));
    command = found.front();
  }
  // App::help() would print that of the command that is running.
  std::cout << command->get_formatter()->make_help(command, full_name(*command),
                                                   CLI::AppFormatMode::Normal);
}

}  // namespace

Option Option::required() const { return Option(option_->required()); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }
Option Option::group(const std::string& title) const { return Option(option_->group(title)); }
Option Option::value_name(const std::string& name) const {
  return Option(option_->option_text(name));
}
Option Option::help(const std::string& text) const { return Option(option_->description(text)); }
Option Option::one_value_per_use() const { return Option(option_->allow_extra_args(false)); }
Option Option::must_exist() const { return Option(check_path(option_, io::require_existing)); }
Option Option::must_be_file() const { return Option(check_path(option_, require_file)); }
Option Option::must_be_folder() const { return Option(check_path(option_, require_folder)); }
Option Option::excludes(const Option& other) const {
  return Option(option_->excludes(other.option_));
}

Command Command::add_command(const std::string& name, const std::string& summary) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->group("Commands");
  app_->require_subcommand(0, 1);
  return Command(command);
}

template <class T>
Option Command::add_option(const std::string& name, T& value, const std::string& help) const {
  return Option(app_->add_option(name, value, help)
                    ->type_name(type_name<T>())
                    ->check(CLI::Validator(refuse_empty, "")));
}
template <class T>
Option Command::add_number(const std::string& name, T& value,
                           const io::Range<typename NumbersIn<T>::Type>& range,
                           const std::string& help) const {
  const auto read = [name, range, &value](const std::string& text) {
    read_number(name, text, range, value);
  };
  CLI::Option* option =
      app_->add_option_function<std::string>(name, read, with_range(help, io::in_words(range)));
  option->default_function([&value] { return default_text(value); });
  return Option(option->type_name(type_name<T>()));
}
Option Command::add_list(const std::string& name, std::vector<std::string>& values,
                         const std::string& help) const {
  const auto read = [name, &values](const std::vector<std::string>& texts) {
    values = split_list(name, texts);
  };
  CLI::Option* option = app_->add_option_function<std::vector<std::string>>(name, read, help);
  option->default_function([&values] { return default_text(values); });
  option->allow_extra_args(false)->type_name("NAME[,NAME...]");
  return Option(option->check(CLI::Validator(refuse_empty, "")));
}
Option Command::add_duration(const std::string& name, std::optional<double>& seconds,
                             const std::string& help) const {
  const auto read = [name, &seconds](const std::string& text) {
    seconds = read_duration(name, text);
  };
  return Option(app_->add_option_function<std::string>(name, read, help)->type_name("TIME"));
}
Option Command::add_flag(const std::string& name, bool& value, const std::string& help) const {
  const auto read = [name, &value](const CLI::results_t& texts) {
    read_truth(name, texts.front(), value);
    return true;
  };
  return Option(app_->add_option(name, read, help)->expected(0));
}
Option Command::add_flag(const std::string& name, std::string& value,
                         const std::string& help) const {
  return Option(
      app_->add_flag(name, value, help)->multi_option_policy(CLI::MultiOptionPolicy::Throw));
}
void Command::set_footer(const std::string& text) const { app_->footer(text); }
void Command::set_action(std::function<void()> action) const { app_->callback(std::move(action)); }
Option Command::option(const std::string& name) const { return Option(app_->get_option(name)); }
bool Command::has(const std::string& option) const { return app_->count(option) > 0; }

using Path = std::filesystem::path;
using Text = std::string;
template Option Command::add_option(const Text&, Text&, const Text&) const;
template Option Command::add_option(const Text&, Path&, const Text&) const;
template Option Command::add_option(const Text&, std::optional<Text>&, const Text&) const;
template Option Command::add_option(const Text&, std::vector<Text>&, const Text&) const;
template Option Command::add_option(const Text&, std::vector<Path>&, const Text&) const;

template <class Number>
using Range = io::Range<Number>;
template Option Command::add_number(const Text&, int&, const Range<int>&, const Text&) const;
template Option Command::add_number(const Text&, double&, const Range<double>&, const Text&) const;
template Option Command::add_number(const Text&, std::optional<int>&, const Range<int>&,
                                    const Text&) const;
template Option Command::add_number(const Text&, std::optional<double>&, const Range<double>&,
                                    const Text&) const;
template Option Command::add_number(const Text&, std::optional<std::int64_t>&,
                                    const Range<std::int64_t>&, const Text&) const;
template Option Command::add_number(const Text&, std::optional<std::uint64_t>&,
                                    const Range<std::uint64_t>&, const Text&) const;
template Option Command::add_number(const Text&, std::vector<int>&, const Range<int>&,
                                    const Text&) const;

Parser::Parser(const std::string& name, const std::string& summary)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->set_help_flag("-h,--help", "Print this help and exit");
}
Parser::~Parser() = default;

Command Parser::program() const { return Command(app_.get()); }
void Parser::add_help_command() const {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app_->add_subcommand("help", "Print the help of a command");
  command->group("Commands");
  command->add_option("COMMAND", *words, "The command, such as train or paper run");
  command->callback([app = app_.get(), words] { print_help_about(*app, *words); });
}
void Parser::set_version(std::function<std::string()> version) const {
  app_->set_version_flag("--version", std::move(version),
                         "Print the version and the instruction set in use");
}

bool Parser::run(int argc, const char* const* argv) const {
  refuse_empty_values(argc, argv);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(describe(*app_, error));
    refuse_unknown_command(*app_);
    app_->exit(error);  // prints the help or the version
    return true;
  } catch (const ConfigError&) {
    // The wrong value may belong to an option that does not exist.
    const auto unknown = app_->remaining(true);
    if (unknown.empty()) throw;
    throw UsageError(describe_unknown(innermost(*app_), unknown[0]));
  }
  if (names_of_commands(innermost(*app_)).empty()) return true;
  fmt::print(stderr, "{}", app_->help());  // of the innermost
  return false;
}

}  // namespace rwa::cli
