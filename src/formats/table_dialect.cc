#include "formats/table_dialect.h"

#include <algorithm>
#include <map>

#include "formats/guess.h"
#include "formats/number.h"
#include "formats/table_row.h"

namespace rwa::formats {
namespace {
constexpr int kRows = 100;  // that are looked at

struct Trial {
  Dialect dialect;
  double even = 0;     // share of the rows that have as many fields as most do
  double numbers = 0;  // share of the fields, but for those of the first row
};

double share(int part, int whole) { return whole == 0 ? 0 : static_cast<double>(part) / whole; }

Trial try_separator(std::string_view lines, char separator) {
  RowSplitter splitter(separator, [&](std::string_view& line) { return next_line(lines, line); });
  std::map<std::size_t, int> rows_of;
  int rows = 0, fields = 0, numbers = 0;
  RowSplitter::Found found = RowSplitter::Found::kRow;
  while (rows < kRows && (found = splitter.next()) != RowSplitter::Found::kEnd) {
    const auto row = splitter.fields();
    // One with a quote in the wrong place is like no other.
    if (found == RowSplitter::Found::kRow) ++rows_of[row.size()];
    if (rows++ == 0) continue;
    fields += static_cast<int>(row.size());
    numbers += static_cast<int>(std::ranges::count_if(row, [value = 0.0F](auto field) mutable {
      return parse_number(field, value) == Number::kRead;
    }));
  }
  if (rows_of.empty()) return {{separator, 1}};
  const auto most = std::ranges::max_element(rows_of, {}, [](const auto& of) { return of.second; });
  return {{separator, most->first}, share(most->second, rows), share(numbers, fields)};
}
}  // namespace

Dialect guess_dialect(std::string_view lines) {
  Trial best;
  for (const char separator : {'\t', ';', ','}) {
    const Trial trial = try_separator(lines, separator);
    if (trial.dialect.fields > 1 && trial.even > best.even) best = trial;
  }
  if (best.even > 0.5) return best.dialect;
  // Blanks stand in texts as well.
  const Trial blanks = try_separator(lines, kByBlanks);
  const bool divides = blanks.dialect.fields > 1;
  if (divides && (blanks.even == 1 || (blanks.even > 0.5 && blanks.numbers > 0.5))) {
    return blanks.dialect;
  }
  return best.even > 0 ? best.dialect : Dialect();
}

}  // namespace rwa::formats
