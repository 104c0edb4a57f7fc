// src/formats/table_reader.h: what the readers of long and of wide tables share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/formats.h"
#include "formats/table_answers.h"
#include "formats/table_roles.h"
#include "formats/table_row.h"

namespace rwa::formats {

// What open_table() found out.
struct Table {
  char separator = ',';
  bool has_header = false;
  std::vector<std::string> names = {};
  Roles roles = {};
  Schema schema = {};
};

class TableReader : public SourceReader {
 public:
  TableReader(std::unique_ptr<Source> source, const Table& table, const Options& options,
              Shared vocabulary);

 protected:
  void next_row() { ahead_ = rows_.next(); }
  // Of the row, which begins a sequence: its id, line and answers.
  void begin(Sequence& sequence);
  float number(std::size_t column) const;

  Roles roles_;
  Rows rows_;
  Answers answers_;
  bool ahead_ =
      false;  // a row was read that is in no sequence yet; the first is, from the beginning

 private:
  std::int64_t count_ = 0;  // of sequences
};

std::unique_ptr<Reader> read_long(std::unique_ptr<Source>, const Table&, const Options&, Shared);
std::unique_ptr<Reader> read_wide(std::unique_ptr<Source>, const Table&, const Options&, Shared);

}  // namespace rwa::formats
