// src/paper/words.h: formats numbers and names for readers.
#pragma once

#include <string>
#include <string_view>

#include "paper/catalogue.h"
#include "report/text.h"

namespace rwa::paper {

std::string in_thousands(double number);  // "250,000"; rounded
using report::in_digits;
using report::in_percent;
using report::in_time;
std::string in_rate(double number);  // "0.813", "12.5", "5,430"

// The value of a measure: a step, a loss, an accuracy, …
std::string in_words(Measure measure, double value);

// Stands for a missing value.
inline constexpr const char* kNothing = "—";

std::string name_of(std::string_view model);                // "RWA", "LSTM", "rwa-2-layers"
std::string id_of(const training::Experiment& experiment);  // "grammar", "grammar-script"
// "Reber grammar", "Reber grammar (script)"
std::string with_variant(const std::string& title, const std::string& variant);

// "training.learning_rate" becomes "learning rate".
std::string field_in_words(std::string_view path);

// Whether an untrusted name is safe as part of a path; no_folder() is the message if not.
bool is_plain(std::string_view name);
std::string no_folder(std::string_view name);

}  // namespace rwa::paper
