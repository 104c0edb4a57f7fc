// src/bench/peers/peer_main.h: the main program of the helpers of `rwa bench`: options are pairs of
// words, the result is one line of JSON, and the exit code is 2 for wrong usage and 1 for any other
// error.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace rwa::bench::peers {

// Throws unless the whole text is an integer of at least `least`.
inline int parse_number(const std::string& text, int least) {
  std::size_t used = 0;
  const int value = std::stoi(text, &used);
  if (used != text.size() || value < least) throw std::invalid_argument(text);
  return value;
}

inline double parse_seconds(const std::string& text) {
  std::size_t used = 0;
  const double value = std::stod(text, &used);
  if (used != text.size() || !(value >= 0)) throw std::invalid_argument(text);
  return value;
}

// Returns N of "cuda:N"; "cuda" is GPU 0.
inline int parse_gpu(const std::string& text) {
  const std::string prefix = "cuda:";
  if (text == "cuda") return 0;
  if (text.compare(0, prefix.size(), prefix) != 0) throw std::invalid_argument(text);
  return parse_number(text.substr(prefix.size()), 0);
}

// set(options, name, value) throws for an invalid option; measure(options) prints the result.
template <class Options, class Set, class Measure>
int peer_main(int argc, char** argv, const char* usage, const Set& set, const Measure& measure) {
  const std::string program = std::string(usage).substr(0, std::string(usage).find(' '));
  const std::vector<std::string> words(argv + 1, argv + argc);
  Options options{};
  try {
    if (words.size() % 2 != 0) throw std::invalid_argument(words.back());
    for (std::size_t i = 0; i < words.size(); i += 2) set(options, words[i], words[i + 1]);
  } catch (const std::exception&) {
    std::fprintf(stderr, "usage: %s\n", usage);
    return 2;
  }
  try {
    measure(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 1;
  }
  return 0;
}

}  // namespace rwa::bench::peers
