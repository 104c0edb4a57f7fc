// tests/formats/damaged_bytes_test.cc: one byte of a text file is not text: a zero byte, or one that
// is not UTF-8. Wherever it is, it is refused with its line and column, or has no effect on what is
// read, as in a comment.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/text_symbols.h"
#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {
namespace {

namespace fs = std::filesystem;

struct TextFile {
  std::string name, content;
};

// Tables with every role that a column can have, and one file of each other format.
std::vector<TextFile> text_files() {
  std::vector<TextFile> files = {
      {"long.csv", "id,time,u,label\na,1,0.5,x\na,2,1.5,x\nb,1,2.5,y\nb,2,3.5,y\n"},
      {"quoted.csv", "id,u,v,label\n\"a\",1,2,\"x\"\n\"a\",2,3,\"x\"\n\"b\",1,2,\"y, z\"\n"},
      {"dates.csv",
       "id;date;time;u\ns1;2024-01-01;10:00;0,5\ns1;2024-01-01;11:00;1,5\n"
       "s2;2024-01-01;10:00;2,5\ns2;2024-01-01;11:00;3,5\n"},
      {"wide.tsv", "name\ttext\tlabel\na\tAB\tx\nb\tBA\ty\n"},
      {"ids.arff",
       "@attribute id string\n@attribute u real\n@attribute c {x,y}\n@data\na,1,x\n'b',2,y\n"},
      {"series.csv", "# note\nMonth,Sales\n1949-01,112\n1949-02,118\n1949-03,132\n"}};
  for (const auto& entry : fs::directory_iterator(good(""))) {
    files.push_back({entry.path().filename().string(), io::get(entry.path())});
  }
  return files;
}

bool is_text(const DataSet& data) {
  const auto has = [](std::string_view text) { return not_utf8(text) == nullptr; };
  return std::ranges::all_of(data.sequences, has) &&
         std::ranges::all_of(data.schema.features, has) &&
         std::ranges::all_of(data.schema.targets, has) && has(data.schema.id) &&
         has(data.schema.time);
}

// "LINE:COLUMN" of a byte.
std::string place_of(std::string_view content, std::size_t at) {
  const std::string_view before = content.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto column = std::ranges::count_if(before.substr(before.rfind('\n') + 1),
                                            [](char c) { return (c & 0xC0) != 0x80; }) +
                      1;
  return fmt::format("{}:{}", line, column);
}

// What is wrong with how the file is read; empty: nothing.
std::string complaint(const fs::path& file, const std::string& place, bool is_zero) {
  try {
    if (!is_text(read_all({file}))) return "what is read is not UTF-8";
    return is_zero ? "a zero byte is accepted" : "";
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    const std::string begin = file.string() + ":";
    if (!message.starts_with(begin)) return error.what();
    const std::string_view found = message.substr(begin.size());
    if (found.starts_with(place + ": ")) return "";
    // A field that is no number, time or keyword is named by its beginning.
    const std::string line = place.substr(0, place.find(':') + 1);
    const bool is_of_field = found.find("the byte 0xff") == found.npos;
    return !is_zero && is_of_field && found.starts_with(line) ? "" : error.what();
  }
}

TEST(DamagedBytes, AreRefusedWithTheirPlace) {
  const io::TempFolder folder;
  int files = 0;
  for (const auto& [name, content] : text_files()) {
    const fs::path file = folder.path() / name;
    io::put(file, content);
    if (!refusal({file}).empty()) continue;  // it needs options
    ++files;
    for (std::size_t at = 0; at < content.size(); ++at) {
      if (std::string_view("\n\r\"'").find(content[at]) != std::string_view::npos) continue;
      for (const char damage : {'\0', '\xff'}) {
        std::string damaged = content;
        damaged[at] = damage;
        io::put(file, damaged);
        const std::string place = place_of(damaged, at);
        EXPECT_EQ(complaint(file, place, damage == '\0'), "") << name << ":" << place << " of\n"
                                                              << content;
      }
    }
  }
  EXPECT_GE(files, 25);
}

}  // namespace
}  // namespace rwa::formats
