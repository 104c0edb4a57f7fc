// src/training/first_model.h: the model that training starts from.
#pragma once

#include <span>

#include "datasets/dataset.h"
#include "rwa/model.h"

namespace rwa::training {

// Returns a model with initial weights, except that inputs which no training sample has start, and
// so stay, without any effect, and that the outputs start as Shape::start, if it has some. The
// network must have a recurrent layer.
Model first_model(const ModelConfig& config, const datasets::Shape& shape);

// Standardises the outputs of the stem, if there is one, over some of the training samples. See
// model/stem_start.h. The same on every rank.
void start_stem(const datasets::Dataset& dataset, Model& model);

}  // namespace rwa::training
