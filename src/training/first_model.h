// src/training/first_model.h: the model that training starts from.
#pragma once

#include <span>

#include "datasets/dataset.h"
#include "rwa/model.h"

namespace rwa::training {

// Returns a model with initial weights, except that inputs which no training sample has start, and
// so stay, without any effect. The network must have a recurrent layer.
Model first_model(const ModelConfig& config, std::span<const int> unseen);

// Standardises the outputs of the stem, if there is one, over some of the training samples. See
// model/stem_start.h. The same on every rank.
void start_stem(const datasets::Dataset& dataset, Model& model);

}  // namespace rwa::training
