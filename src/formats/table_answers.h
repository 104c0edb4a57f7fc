// src/formats/table_answers.h: reads the targets of sequences from the target columns of a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sequence.h"
#include "formats/table_roles.h"
#include "formats/table_rows.h"

namespace rwa::formats {

class TableAnswers {
 public:
  // With `optional`, as for a model, a sequence has no targets if its first row has none.
  TableAnswers(const Rows& rows, const Roles& roles, const std::vector<std::string>& names,
               Vocabulary& vocabulary, bool optional);

  // Read the first row of a sequence, and each later one. Both throw InputError.
  void begin(Sequence& sequence);
  void go_on(Sequence& sequence);

 private:
  struct Read {
    std::vector<std::int32_t> labels;
    std::vector<float> values;

    friend bool operator==(const Read&, const Read&) = default;
  };

  void read_row();  // into read_
  void read_number(std::size_t column);
  void read_label(std::size_t column);
  void read_labels(std::size_t column);
  void read_flag(std::size_t column, std::int32_t label);
  [[nodiscard]] bool is_missing(std::size_t column) const;
  [[noreturn]] void refuse(std::size_t column, std::string_view expected) const;
  void append_to(Sequence& sequence) const;

  const Rows& rows_;
  Target target_;
  std::vector<std::size_t> columns_;
  bool numbered_;
  bool optional_;
  Dictionary& labels_;
  std::vector<std::int32_t> flags_;  // label of each 0/1 column, if there are several
  Read read_;
  // Of the current sequence.
  bool has_any_ = false;
  std::int64_t first_line_ = 0;
  std::vector<std::string> first_texts_;
  Read first_;
};

}  // namespace rwa::formats
