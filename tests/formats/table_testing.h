// tests/formats/table_testing.h: a fixture for tables given as text.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "formats/formats.h"
#include "formats_testing.h"
#include "io/io_testing.h"

namespace rwa::formats {

class Tables : public ::testing::Test {
 protected:
  DataSet read(std::string_view text, const Options& options = {}) {
    io::put(file_, text);
    const auto vocabulary = std::make_shared<Vocabulary>();
    const auto reader = open_table(std::make_unique<Source>(file_), options, vocabulary);
    EXPECT_EQ(reader->file(), file_.string());
    DataSet found{reader->schema(), {}};
    Sequence sequence;
    while (reader->next(sequence)) found.sequences.push_back(to_text(sequence, *vocabulary));
    EXPECT_FALSE(reader->next(sequence));
    return found;
  }
  Lines sequences(std::string_view text, const Options& options = {}) {
    return read(text, options).sequences;
  }
  Schema schema(std::string_view text, const Options& options = {}) {
    return read(text, options).schema;
  }

  // Returns the message after the file name.
  template <typename Error = InputError>
  std::string refusal(std::string_view text, const Options& options = {}) {
    try {
      read(text, options);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, file_.string().size()), file_.string());
      return message.substr(file_.string().size());
    } catch (const std::exception& error) {
      ADD_FAILURE() << "another type of error: " << error.what();
    }
    return "";
  }

  io::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "table.csv";
};

}  // namespace rwa::formats
