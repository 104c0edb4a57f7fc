// src/paper/words.h: numbers as people read them.
#pragma once

#include <string>

#include "paper/catalogue.h"

namespace rwa::paper {

std::string in_thousands(double number);                    // "250,000"; rounded
std::string in_percent(double fraction, int decimals = 1);  // "98.1 %"
std::string in_digits(double number);  // three of them: "0.175", "1.73", "2e-06"
std::string in_time(double seconds);   // "45s", "4m05s", "2h10m", "3d04h"
std::string in_rate(double number);    // "0.813", "12.5", "5,430"

// A number that a claim is about: a step, a loss, an accuracy, …
std::string in_words(Measure measure, double value);

// Where there is nothing to say.
inline constexpr const char* kNothing = "—";

std::string name_of(Cell cell);                        // "RWA", "LSTM"
std::string id_of(const run::Experiment& experiment);  // "grammar", "grammar-script"
// "Reber grammar", "Reber grammar (script)"
std::string with_variant(const std::string& title, const std::string& variant);

}  // namespace rwa::paper
