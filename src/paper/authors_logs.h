// src/paper/authors_logs.h: what the authors' programs printed while they trained, as it stands in
// their repository (github.com/jostmey/rwa), and the curves of the paper's figures in it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rwa::paper {

struct AuthorsLog {
  std::string_view curve;   // EXPERIMENT.MODEL: the file of the curve is CURVE.csv
  std::string_view path;    // in their repository
  std::string_view unit;    // of the loss: "bits" or "mse"
  std::string_view sha256;  // of the curve
};

std::span<const AuthorsLog> authors_logs();

// The lines about test samples as CSV: the step, the loss to six digits, and the accuracy in per
// cent where there is one. `origin` names the log in messages. Throws InputError with the line that
// is not understood.
std::string to_curve(std::string_view log, std::string_view unit, std::string_view origin);

}  // namespace rwa::paper
