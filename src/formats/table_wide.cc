// src/formats/table_wide.cc: a row is a sequence: its numbers one after the other, or a text.
#include <cmath>

#include "formats/table_reader.h"
#include "formats/text_symbols.h"

namespace rwa::formats {
namespace {

class WideReader : public TableReader {
 public:
  WideReader(std::unique_ptr<Source> source, const Table& table, const Options& options,
             Shared vocabulary)
      : TableReader(std::move(source), table, options, vocabulary),
        symbols_(std::move(vocabulary), options.kmer) {}

  bool next(Sequence& sequence) override {
    if (!ahead_) next_row();
    if (!ahead_) return false;
    begin(sequence);
    if (roles_.symbols) {
      symbols_.append(rows_.text(roles_.features[0]), sequence);
    } else {
      add_numbers(sequence);
    }
    ahead_ = false;
    return true;
  }

 private:
  // What is missing at the end was never there.
  void add_numbers(Sequence& sequence) const {
    for (const std::size_t column : roles_.features) sequence.x.push_back(number(column));
    while (!sequence.x.empty() && std::isnan(sequence.x.back())) sequence.x.pop_back();
    sequence.steps = static_cast<int>(sequence.x.size());
  }

  TextSymbols symbols_;
};

}  // namespace

std::unique_ptr<Reader> read_wide(std::unique_ptr<Source> source, const Table& table,
                                  const Options& options, Shared vocabulary) {
  return std::make_unique<WideReader>(std::move(source), table, options, std::move(vocabulary));
}

}  // namespace rwa::formats
