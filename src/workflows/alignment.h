// src/workflows/alignment.h: whether the steps of sequences of numbers with classes correspond to
// one another, as in spectra and days, or only roughly, as in gestures.
#pragma once

#include "datasets/files.h"

namespace rwa::workflows {

enum class Alignment {
  kExact,    // shifted sequences are compared worse
  kUnclear,  // or there are too few
  kLoose,    // shifted sequences are compared better
};

// Compares training sequences, at most 200 of them, with one another: as they are, and shifted
// by up to a twentieth of their length. What counts is how much nearer than the nearest sequence of
// another class the nearest of the same class is.
Alignment find_alignment(const datasets::Files& files);

}  // namespace rwa::workflows
