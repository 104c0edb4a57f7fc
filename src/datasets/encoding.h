// src/datasets/encoding.h: how sequences from files are encoded for a network, and its outputs
// decoded: everything a model must know about its data to be applied to new data. Stored in the
// model file as JSON.
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
#include "datasets/forecast.h"
#include "datasets/scale.h"
#include "formats/reader.h"
#include "formats/sequence.h"
#include "rwa/model.h"

namespace rwa::datasets {

// How to treat missing values.
enum class Missing {
  kRefuse,
  kPrevious,  // the value of the step before; the mean at the first step
  kMean,      // of the training data
};
std::string_view to_string(Missing missing);
Missing parse_missing(std::string_view name);
inline void from_name(std::string_view name, Missing& value) { value = parse_missing(name); }

// Extra inputs of a step: the steps before it and its position in the sequence. An average over
// steps knows neither. Later steps are never used, so that streams see the same inputs.
struct Widening {
  int context = 1;    // steps seen at once: this step and those before it
  int positions = 0;  // number of position features; 0: none
  int span = 0;       // steps covered by the position features: the longest training sequence

  [[nodiscard]] bool is_needed() const { return context > 1 || positions > 0; }
  // Returns the inputs of a widened step of `width` features, or of one of `width` symbols
  // (one-hot).
  [[nodiscard]] std::size_t inputs(std::size_t width) const;
  // Writes the row of step t of an encoded sequence, [inputs(width)]: the step, the step before it,
  // … (zeros before the start), then one bump per position feature, highest at its centre. `place`
  // is the index of the step in its sequence; `encoded` may hold only the end of that sequence.
  void write_row(const formats::Sequence& encoded, std::size_t width, int t, int place,
                 float* row) const;

  friend bool operator==(const Widening&, const Widening&) = default;
};

// The name of the symbol that stands for all unknown ones.
inline constexpr std::string_view kUnknown = "<unknown>";

struct Encoding {
  formats::Schema schema = {};
  int kmer = 1;
  formats::Tokens tokens = formats::Tokens::kCharacters;
  bool lower = false;
  Missing missing = Missing::kRefuse;
  // Sequences are cut into windows of `window` steps, one every `stride` steps; 0: not cut.
  int window = 0, stride = 0;
  Widening widening = {};
  Scale scale = Scale::kData;              // of numbers
  Normal features = {};                    // of x over the training data; empty for symbols
  OwnScale own = {};                       // empty except for Scale::kSequence
  std::vector<std::string> alphabet = {};  // the symbols in order
  // The last symbol of the alphabet, kUnknown, stands for every symbol that is not in it. Models of
  // earlier versions have none and refuse such symbols.
  bool unknown = false;
  std::vector<std::string> labels = {};  // the classes, in the order of the outputs
  Normal targets = {};     // of regression targets; predictions of next steps use `features`
  Forecast forecast = {};  // of numbers, if the task is to forecast; windows are its samples

  // Returns how many symbols have a name of their own.
  [[nodiscard]] std::size_t known_symbols() const { return alphabet.size() - (unknown ? 1 : 0); }
  // Returns the number of inputs of a single step, before widening: symbols, or numbers as scaled.
  [[nodiscard]] std::size_t width() const;
  // Returns the standardisation that encode() applies to each number of x: none of forecasts, and
  // if each sequence is scaled by itself, which fill() does.
  [[nodiscard]] Normal of_numbers() const;
  // Returns the shape of the network: input, inputs, outputs, readout, loss.
  [[nodiscard]] Shape shape() const;
  // Returns whether there is a prediction at every step rather than one per sequence.
  [[nodiscard]] bool answers_every_step() const;
  // Returns the names of the outputs: labels, targets, or the features or symbols of a forecast.
  [[nodiscard]] std::vector<std::string> outputs() const;
  // Returns how to read files for this model.
  [[nodiscard]] formats::Options options() const;

  friend bool operator==(const Encoding&, const Encoding&) = default;
};

std::string to_json(const Encoding& encoding);
// Throws ModelFileError, starting with `origin`, for anything that to_json() would not write.
Encoding parse_encoding(std::string_view json, std::string_view origin);
// The name of the model note that stores the encoding.
inline constexpr std::string_view kEncodingNote = "data";
// Returns the encoding in the notes, if any. Throws ModelFileError like parse_encoding(), or if the
// encoding does not fit the network.
std::optional<Encoding> find_encoding(const std::map<std::string, std::string>& notes,
                                      const ModelConfig& network, std::string_view origin);

// Encodes sequences of one reader and fills batches. A prediction of next steps sees all steps but
// the last, or with `whole` every step; the last step then has no target. Of a forecast, encode()
// takes series and fill() their windows.
class Encoder {
 public:
  Encoder(const Encoding& encoding, const formats::Vocabulary& vocabulary);

  // Encodes a sequence in place: maps symbols and labels to those of the encoding and standardises
  // x over the training data. If each sequence is scaled by itself, x keeps its numbers, and NaN for
  // missing ones: what the sequence is, a whole or a window, is known to scaled() and fill() only.
  // Throws InputError, naming `file` and the line, for an unknown label (listing the known ones), for
  // an unknown symbol if the encoding has no place for it, and for a missing value if these are
  // refused. Without `labelled`, removes the targets.
  void encode(formats::Sequence& sequence, std::string_view file, bool labelled = true);
  // The same, from any thread, if the vocabulary has no new words since the last encode().
  void encode_known(formats::Sequence& sequence, std::string_view file, bool labelled = true) const;
  // Returns the number of steps that the network sees.
  [[nodiscard]] int steps(const formats::Sequence& encoded, bool whole = false) const;
  // Fills a batch with encoded sequences, zero-padded to at least one step. Sets the targets if all
  // sequences have them, and for a forecast unless `whole`.
  void fill(std::span<const formats::Sequence* const> encoded, Batch& batch,
            bool whole = false) const;

 private:
  // Maps the vocabulary's numbers to those of the encoding.
  class Words {
   public:
    // With `unknown`, the last word stands for unknown ones.
    Words(const std::vector<std::string>& words, std::string_view kind, bool unknown = false);

    void follow(const formats::Dictionary& dictionary);  // looks up its new words
    // Throws InputError for an unknown word.
    void translate(std::vector<std::int32_t>& numbers, const formats::Dictionary& dictionary,
                   std::string_view file, std::int64_t line) const;

   private:
    const std::vector<std::string>& words_;
    std::string_view kind_;  // "symbol", for messages
    std::int32_t unknown_;   // the number of unknown words; -1: refused
    std::unordered_map<std::string_view, std::int32_t> places_;
    std::vector<std::int32_t>
        numbers_;  // the encoding's number of each dictionary word; -1: unknown
  };

  void encode_features(formats::Sequence& sequence, std::string_view file) const;
  void encode_values(formats::Sequence& sequence, std::string_view file) const;
  void fill_input(const formats::Sequence& scaled, std::size_t b, Batch& batch) const;
  void widen(const formats::Sequence& sequence, int length, std::size_t b, std::size_t batch,
             std::vector<float>& x) const;
  void fill_answers(std::span<const formats::Sequence* const> encoded, Batch& batch) const;
  void fill_step_answers(std::span<const formats::Sequence* const> encoded, Batch& batch) const;

  const Encoding& encoding_;
  const formats::Vocabulary& vocabulary_;
  const Shape shape_;
  const Normal numbers_;
  Words symbols_, labels_;
};

// Returns an encoded sequence with width() numbers per step: scaled by itself if the encoding says so.
formats::Sequence scaled(const Encoding& encoding, formats::Sequence encoded);
// Returns an encoded sequence as the network sees it: scaled, and with widened steps.
formats::Sequence as_seen(const Encoding& encoding, const formats::Sequence& encoded);

// Returns why sequences of this schema cannot be scaled each by itself; empty if they can.
std::string why_no_own_scale(const formats::Schema& schema);

// Throws ConfigError for forecasts: an exported network would have to make their windows.
void check_exportable(const Encoding& encoding);

// Returns whether the sequence has the targets that its task needs. Multi-label allows any number.
bool has_answer(const formats::Schema& schema, const formats::Sequence& sequence);
// Replaces the missing values of a series, and marks them: by the number before, or by the mean of
// those before; at its beginning by the first number.
void fill_gaps(Missing missing, std::size_t features, formats::Sequence& series);
// Throws InputError if a value of x is missing.
void refuse_missing(const formats::Schema& schema, const formats::Sequence& sequence,
                    std::string_view file);

// Returns the windows [begin, end) of a long sequence, in order; the last may be shorter. If window
// is 0, returns the whole. Windows of a forecast have one more step, which is only a target there
// and the first input of the next window.
struct Piece {
  int begin = 0, end = 0;
};
std::vector<Piece> pieces(int steps, int window, int stride, bool of_forecast = false);
// Copies one window to `out`, with the same id. Per-step targets are cut too, others copied.
void cut(const formats::Sequence& whole, Piece piece, bool answers_every_step,
         formats::Sequence& out);

}  // namespace rwa::datasets
