// src/training/experiment_fields.h: the fields of an experiment, each named once; reading, writing and
// comparing walk through them. A new field is a line here; a new task is a function and a name.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>

#include "training/experiment.h"

namespace rwa::training {

template <class T>
concept Enumeration = std::is_enum_v<T>;
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

// Whole numbers go with the least value they may have.

template <class Visitor>
void describe(tasks::GrammarTask& task, Visitor& visit) {
  visit("train", task.train, 1);
  visit("test", task.test, 1);
  visit("cut_test_by_first_length", task.cut_test_by_first_length);
}

template <class Visitor>
void describe(tasks::LengthTask& task, Visitor& visit) {
  visit("longest", task.longest, 1);
  visit("threshold", task.threshold, 0);
  visit("values", task.values);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::CopyTask& task, Visitor& visit) {
  visit("remember", task.remember, 1);
  visit("delay", task.delay, 1);
  visit("symbols", task.symbols, 2);
  visit("delimiter_places", task.delimiter_places, 1);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::AddingTask& task, Visitor& visit) {
  visit("steps", task.steps, 2);
  visit("order", task.order);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::MnistTask& task, Visitor& visit) {
  visit("permuted", task.permuted);
}

template <class Visitor>
void describe(tasks::MultiCopyTask& task, Visitor& visit) {
  visit("episodes", task.episodes, 1);
  visit("test_episodes", task.test_episodes, 1);
  visit("remember", task.remember, 1);
  visit("delay", task.delay, 1);
  visit("symbols", task.symbols, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::XorTask& task, Visitor& visit) {
  visit("steps", task.steps, 1);
  visit("bits", task.bits, 1);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::LookAheadTask& task, Visitor& visit) {
  visit("steps", task.steps, 2);
  visit("ahead", task.ahead, 1);
  visit("symbols", task.symbols, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::AutoencodeTask& task, Visitor& visit) {
  visit("shortest", task.shortest, 0);
  visit("longest", task.longest, 1);
  visit("symbols", task.symbols, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

template <class Visitor>
void describe(tasks::SpellingTask& task, Visitor& visit) {
  visit("numbers", task.numbers, 1);
  visit("digits", task.digits, 1);
  visit("base", task.base, 2);
  visit("train", task.train, 1);
  visit("test", task.test, 1);
}

// Of files: how they are read.
template <class Visitor>
void describe_reading(datasets::FilesTask& task, Visitor& visit) {
  visit("format", task.format);
  visit("layout", task.layout);
  visit("task", task.task);
  visit("target", task.target);
  visit("features", task.features);
  visit("id", task.id);
  visit("time", task.time);
  visit("label_from", task.label_from);
  visit("kmer", task.kmer, 1);
}

// What becomes of their sequences.
template <class Visitor>
void describe_preparation(datasets::FilesTask& task, Visitor& visit) {
  visit("context", task.context, 1);
  visit("positions", task.positions, 0);
  visit("missing", task.missing);
  visit("window", task.window, 0);
  visit("stride", task.stride, 0);
  visit("split", task.split);
  visit("balance", task.balance);
}

template <class Visitor>
void describe(datasets::FilesTask& task, Visitor& visit) {
  visit("train", task.train);
  visit("valid", task.valid);
  visit("test", task.test);
  describe_reading(task, visit);
  describe_preparation(task, visit);
  visit("folds", task.folds, 0);
  visit("fold", task.fold, 0);
  visit("split_seed", task.split_seed, 0);
  visit("sha256", task.sha256);
}

// In the order of tasks::Task.
inline constexpr std::array<std::string_view, std::variant_size_v<tasks::Task>> kKinds = {
    "grammar", "length",     "copy",       "adding",   "mnist", "multi-copy",
    "xor",     "look-ahead", "autoencode", "spelling", "files"};

template <class Visitor>
void describe(Network& network, Visitor& visit) {
  visit("cell", network.cell);
  visit("activation", network.activation);
  visit("units", network.units, 1);
  visit("layers", network.layers, 0);
  visit("bidirectional", network.bidirectional);
  visit("dropout", network.dropout);
  visit("embedding", network.embedding, 0);
  visit("span", network.span, 0);
  visit("lasting", network.lasting);
  visit("learned_decay", network.learned_decay);
  visit("readout", network.readout);
  visit("code", network.code, 0);
}

template <class Visitor>
void describe(Training& training, Visitor& visit) {
  visit("steps", training.steps, 1);
  visit("batch", training.batch, 1);
  visit("learning_rate", training.learning_rate);
  visit("beta1", training.beta1);
  visit("beta2", training.beta2);
  visit("epsilon", training.epsilon);
  visit("clip_norm", training.clip_norm);
  visit("schedule", training.schedule);
  visit("truncate", training.truncate, 0);
}

template <class Visitor>
void describe(Evaluation& evaluation, Visitor& visit) {
  visit("every", evaluation.every, 1);
  visit("samples", evaluation.samples, 1);
  visit("patience", evaluation.patience, 0);
  visit("final_draws", evaluation.final_draws);
}

// Tables come last: in TOML what follows one belongs to it.
template <class Visitor>
void describe(Experiment& experiment, Visitor& visit) {
  visit("name", experiment.name);
  visit("variant", experiment.variant);
  visit("model", experiment.model);
  visit("seed", experiment.seed, 0);
  visit("device", experiment.device);
  visit.table("task", experiment.task);
  visit.table("network", experiment.network);
  visit.table("training", experiment.training);
  visit.table("evaluation", experiment.evaluation);
}

}  // namespace rwa::training
