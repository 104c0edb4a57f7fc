// src/formats/array_answers.h: what sequences should be answered with, out of an array y:
//   [N]      a class; of floats a number
//   [N,K]    which of K labels hold, 0 or 1 each; of floats K numbers
//   [N,T]    a class for every step; of floats a number
//   [N,T,K]  K numbers for every step
// Where x has the steps of all sequences one after the other, so does y: [sum of T], [sum of T,K].
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
  std::int64_t steps = 0;  // T, or the sum of them
  bool joined = false;     // then it is the sum
};

class ArrayAnswers {
 public:
  // Throws InputError where y does not fit the sequences or the options.
  ArrayAnswers(Array y, const Cases& cases, const Options& options, SharedVocabulary vocabulary);

  [[nodiscard]] Target target() const { return target_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // The answers of a sequence whose steps are known.
  void next(Sequence& sequence);
  void finish() { y_.finish(); }

 private:
  // Where y has the shape `lead`, or one dimension more, the numbers per place; else 0.
  [[nodiscard]] std::int64_t width_with(const ArrayShape& lead) const;
  void decide(const std::optional<Target>& asked);
  [[noreturn]] void refuse_shape() const;
  void check_names(const Options& options);
  void next_labels(Sequence& sequence);
  void next_numbers(std::uint64_t count, std::vector<float>& values);

  Array y_;
  Cases cases_;
  bool optional_;  // a model can do without
  SharedVocabulary vocabulary_;
  std::int64_t width_ = 0;  // K
  bool every_step_ = false;
  Target target_ = Target::kNone;
  std::vector<std::string> names_;
};

// Those in the array that Options::label_from names, or that stand beside x: y.npy beside x.npy,
// y_train.npy beside X_train.npy, and so on, packed or not; …-labels-idx1-ubyte beside
// …-images-idx3-ubyte. None where there is no such file, and where the task needs no labels.
std::optional<Array> labels_of(const std::filesystem::path& x, const Options& options);

}  // namespace rwa::formats
