// src/datasets/encoding.h: how sequences of a file become the numbers of a network, and its outputs
// become answers: everything a model must know about its data to be used on more of it. It travels
// in the model's file, as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/dataset.h"
#include "formats/reader.h"
#include "formats/sequence.h"
#include "rwa/model.h"

namespace rwa::datasets {

// What to do about numbers that are missing.
enum class Missing {
  kRefuse,
  kPrevious,  // that of the step before; at the first step the mean
  kMean,      // of the training data
};
std::string_view to_string(Missing missing);
Missing parse_missing(std::string_view name);
inline void from_name(std::string_view name, Missing& value) { value = parse_missing(name); }

// Of numbers: (x - mean) / scale has mean 0 and deviation 1 over the training data; the scale of
// what never changes is 1.
struct Normal {
  std::vector<double> mean = {}, scale = {};

  friend bool operator==(const Normal&, const Normal&) = default;
};

// What a network may see of a step beside the step itself: the steps before it, and where in the
// sequence it stands. An average over steps knows neither by itself. Nothing after the step is
// looked at, so that a stream sees the same.
struct Widening {
  int context = 1;    // steps seen at once: the step itself and those before it
  int positions = 0;  // numbers that say where it stands; 0: none
  int span = 0;       // the steps that these are spread over: the longest sequence of the training

  [[nodiscard]] bool is_needed() const { return context > 1 || positions > 0; }
  // Of a step of `width` numbers, or of one of `width` symbols, which becomes a one-hot row.
  [[nodiscard]] std::size_t inputs(std::size_t width) const;
  // Writes the row of step t of an encoded sequence, [inputs(width)]: the step, the one before it,
  // …, zeros where there is none; then a hill for each position, highest where it is nearest.
  // `place` is the number of the step in its sequence, of which `encoded` may have no more than the
  // end.
  void write_row(const formats::Sequence& encoded, std::size_t width, int t, int place,
                 float* row) const;

  friend bool operator==(const Widening&, const Widening&) = default;
};

struct Encoding {
  formats::Schema schema = {};
  int kmer = 1;
  Missing missing = Missing::kRefuse;
  // Sequences are cut into pieces of `window` steps, every `stride` steps one; 0: they are not.
  int window = 0, stride = 0;
  Widening widening = {};
  Normal features = {};                    // of x; for symbols empty
  std::vector<std::string> alphabet = {};  // the symbols in their order
  std::vector<std::string> labels = {};    // of classes: the outputs in their order
  Normal targets = {};  // of numbers that are answers; of a forecast those of `features`

  // Of a step by itself: features, or symbols.
  [[nodiscard]] std::size_t width() const;
  // Of the network: input, inputs, outputs, readout, loss.
  [[nodiscard]] Shape shape() const;
  // What is read out is one answer for a sequence, or one for every step.
  [[nodiscard]] bool answers_every_step() const;
  // The names of the outputs: labels, names of targets, of a forecast features or symbols.
  [[nodiscard]] std::vector<std::string> outputs() const;
  // How files for this model are to be read.
  [[nodiscard]] formats::Options options() const;

  friend bool operator==(const Encoding&, const Encoding&) = default;
};

std::string to_json(const Encoding& encoding);
// Throws ModelFileError, which begins with `origin`, for anything that to_json() would not write.
Encoding parse_encoding(std::string_view json, std::string_view origin);
// The key under which it stands among a model's notes.
inline constexpr std::string_view kEncodingNote = "data";
// From there; nothing where they have none. Throws ModelFileError as parse_encoding() does, and for
// one that does not fit the network.
std::optional<Encoding> find_encoding(const std::map<std::string, std::string>& notes,
                                      const ModelConfig& network, std::string_view origin);

// Turns sequences of one reader into rows of a batch. A forecast's steps are all but the last,
// unless `whole` (for prediction) includes every one; then the last step has no answer.
class Encoder {
 public:
  Encoder(const Encoding& encoding, const formats::Vocabulary& vocabulary);

  // Makes the sequence ready for fill(): in place, symbols and labels become those of the encoding,
  // x normal. Throws InputError, naming `file` and the sequence's line, for a symbol or a label
  // that is not the model's, with those that are, and for a number that is missing where that is
  // refused. Without `labelled`, answers are not looked at, and gone.
  void encode(formats::Sequence& sequence, std::string_view file, bool labelled = true);
  // The same from any thread, where the vocabulary has no word that is new since the last encode().
  void encode_known(formats::Sequence& sequence, std::string_view file, bool labelled = true) const;
  // How many steps the network sees of it.
  [[nodiscard]] int steps(const formats::Sequence& encoded, bool whole = false) const;
  // The encoded sequences side by side, zero past their ends; of at least one step, since a batch
  // must have one. Targets where all have answers; of a forecast that is not `whole`.
  void fill(std::span<const formats::Sequence* const> encoded, Batch& batch,
            bool whole = false) const;

 private:
  // The words of an encoding as the vocabulary numbers them.
  class Words {
   public:
    Words(const std::vector<std::string>& words, std::string_view kind);

    void follow(const formats::Dictionary& dictionary);  // looks up what is new in it
    // Throws InputError for a word that is none of them.
    void translate(std::vector<std::int32_t>& numbers, const formats::Dictionary& dictionary,
                   std::string_view file, std::int64_t line) const;

   private:
    const std::vector<std::string>& words_;
    std::string_view kind_;  // "symbol", for messages
    std::unordered_map<std::string_view, std::int32_t> places_;
    std::vector<std::int32_t> numbers_;  // the place of each word of the dictionary; -1: none
  };

  void encode_features(formats::Sequence& sequence, std::string_view file) const;
  void encode_values(formats::Sequence& sequence, std::string_view file) const;
  void widen(const formats::Sequence& sequence, int length, std::size_t b, std::size_t batch,
             std::vector<float>& x) const;
  void fill_answers(std::span<const formats::Sequence* const> encoded, Batch& batch) const;
  void fill_step_answers(std::span<const formats::Sequence* const> encoded, Batch& batch) const;

  const Encoding& encoding_;
  const formats::Vocabulary& vocabulary_;
  const Shape shape_;
  Words symbols_, labels_;
};

// An encoded sequence as the network sees it: where steps are widened, in numbers.
formats::Sequence as_seen(const Encoding& encoding, const formats::Sequence& encoded);

// The answers that a sequence has are as many as its target needs; of several labels any number.
bool has_answer(const formats::Schema& schema, const formats::Sequence& sequence);
// Throws InputError for a number of x that is missing.
void refuse_missing(const formats::Schema& schema, const formats::Sequence& sequence,
                    std::string_view file);

// The pieces a long sequence is cut into: [begin, end) of each, in order; the last may be shorter.
// The whole where window is 0. Those of a forecast have a step more, which is only an answer there
// and the first of the next piece.
struct Piece {
  int begin = 0, end = 0;
};
std::vector<Piece> pieces(int steps, int window, int stride, bool of_forecast = false);
// One of them, as a sequence with the same id and, where answers are not those of steps, which are
// cut too, with the same answers.
void cut(const formats::Sequence& whole, Piece piece, bool answers_every_step,
         formats::Sequence& out);

}  // namespace rwa::datasets
