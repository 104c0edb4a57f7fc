// src/formats/table_answers.h: what the columns of targets say of a sequence.
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
  // Those of a model's table are `optional`: a sequence has none where its first row has none.
  TableAnswers(const Rows& rows, const Roles& roles, const std::vector<std::string>& names,
               Vocabulary& vocabulary, bool optional);

  // From the first row of a sequence, and from each of its others. Both throw InputError.
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
  std::vector<std::int32_t> flags_;  // of several columns of 0 and 1, the label of each
  Read read_;
  // Of the sequence.
  bool has_any_ = false;
  std::int64_t first_line_ = 0;
  std::vector<std::string> first_texts_;
  Read first_;
};

}  // namespace rwa::formats
