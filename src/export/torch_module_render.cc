#include "export/torch_module_render.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace rwa::exports {
namespace {

// The text up to `end`, which it takes away with it.
std::string_view take(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

bool holds(std::string_view words, const Filling& filling) {
  while (!words.empty()) {
    std::string_view word = take(words, ' ');
    const bool wanted = !word.starts_with('!');
    if (!wanted) word.remove_prefix(1);
    if (filling.words.contains(word) != wanted) return false;
  }
  return true;
}

// What stands between two "@" is the name of a value.
void append_line(std::string_view line, const Filling& filling, std::string& out) {
  while (true) {
    out += take(line, '@');
    if (line.empty()) break;
    const std::string_view name = take(line, '@');
    const auto value = filling.values.find(name);
    if (value == filling.values.end()) {
      throw std::logic_error(fmt::format("the text has the value @{}@, which is not given", name));
    }
    out += value->second;
  }
  out += '\n';
}

}  // namespace

std::string render(std::string_view text, const Filling& filling) {
  constexpr std::string_view kIf = "#if ", kElse = "#else", kEnd = "#end", kNote = "#:";
  std::string out;
  std::vector<bool> stays;  // of the parts that have begun and not ended
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.starts_with(kIf)) {
      stays.push_back(holds(line.substr(kIf.size()), filling));
    } else if (line == kElse || line == kEnd) {
      if (stays.empty()) throw std::logic_error(fmt::format("the text has {} without #if", line));
      if (line == kElse) {
        stays.back() = !stays.back();
      } else {
        stays.pop_back();
      }
    } else if (!line.starts_with(kNote) && std::ranges::count(stays, false) == 0) {
      append_line(line, filling, out);
    }
  }
  if (!stays.empty()) throw std::logic_error("the text has #if without #end");
  return out;
}

}  // namespace rwa::exports
