// src/paper/example.h: samples of a task as pictures, as in panel (a) of the paper's figures.
#pragma once

#include <vector>

#include "report/example.h"
#include "training/experiment.h"

namespace rwa::paper {

// The first test sample, or the first of each answer where that is yes or no. Nothing for MNIST
// where its files are not found, or are damaged: a picture less.
std::vector<report::Example> examples_of(const training::Experiment& experiment);

}  // namespace rwa::paper
