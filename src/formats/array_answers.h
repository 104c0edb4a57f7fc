// src/formats/array_answers.h: the targets of sequences, from an array y:
//   [N]      a class; for floats a number
//   [N,K]    K labels, each 0 or 1; for floats K numbers
//   [N,T]    a class per step; for floats a number per step
//   [N,T,K]  K numbers per step
// If x concatenates the steps of all sequences, so does y: [sum of T], [sum of T,K].
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/array.h"
#include "formats/formats.h"
#include "formats/schema.h"

namespace rwa::formats {

// The sequences of x.
struct Cases {
  std::int64_t count = 0;  // N
  std::int64_t steps = 0;  // T, or the sum of T if joined
  bool joined = false;     // x concatenates the steps of all sequences
};

class ArrayAnswers {
 public:
  // Throws InputError if y does not fit the sequences or the options.
  ArrayAnswers(Array y, const Cases& cases, const Options& options, SharedVocabulary vocabulary);

  [[nodiscard]] Target target() const { return target_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& file() const { return y_.name(); }  // for messages
  // Adds the targets of the next sequence, whose `steps` must be set.
  void next(Sequence& sequence);
  void finish() { y_.finish(); }

 private:
  // K if y has the shape `lead` (then 1) or [lead...,K]; 0 for any other shape.
  [[nodiscard]] std::int64_t width_with(const ArrayShape& lead) const;
  void decide(const std::optional<Target>& asked);
  [[noreturn]] void refuse_shape() const;
  void check_names(const Options& options);
  void next_labels(Sequence& sequence);
  void next_numbers(std::uint64_t count, std::vector<float>& values);

  Array y_;
  Cases cases_;
  bool optional_;  // targets may be missing: a model reads the data
  SharedVocabulary vocabulary_;
  std::int64_t width_ = 0;  // K
  bool every_step_ = false;
  Target target_ = Target::kNone;
  std::vector<std::string> names_;
};

// Returns the array that Options::label_from names, or the one next to x: y.npy next to x.npy,
// y_train.npy next to X_train.npy and so on, compressed or not; …-labels-idx1-ubyte next to
// …-images-idx3-ubyte. Empty if there is no such file or the task needs no labels.
std::optional<Array> labels_of(const std::filesystem::path& x, const Options& options);

}  // namespace rwa::formats
