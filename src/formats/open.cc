#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/open_file.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
namespace fs = std::filesystem;

std::string list(const std::vector<std::string>& names) {
  return io::escape(fmt::to_string(fmt::join(names, ", ")));
}

void check_same(std::string_view what, const std::string& found, const std::string& expected,
                const std::string& file, const std::string& first) {
  if (found == expected) return;
  throw InputError(
      fmt::format("{}: has {} {}, expected {}, as {} has", file, what, found, expected, first));
}

// One file after the other, each opened when its turn comes.
class Chain : public Reader {
 public:
  Chain(std::vector<fs::path> files, FileOpener opener)
      : files_(std::move(files)),
        opener_(std::move(opener)),
        reader_(opener_.open(files_.front())) {
    schema_ = reader_->schema();
    first_ = reader_->file();
    opener_.expect(schema_.target);
  }

  [[nodiscard]] const std::string& file() const override { return reader_->file(); }

  bool next(Sequence& sequence) override {
    while (!reader_->next(sequence)) {
      if (next_ == files_.size()) return false;
      reader_ = opener_.open(files_[next_++]);
      check_schema();
    }
    return true;
  }

 private:
  void check_schema() const {
    const Schema& schema = reader_->schema();
    const auto check = [&](std::string_view what, const std::string& found,
                           const std::string& expected) {
      check_same(what, found, expected, file(), first_);
    };
    const auto steps = [](const Schema& s) -> std::string {
      return s.symbols ? "symbols" : "numbers";
    };
    const auto task = [](const Schema& s) { return std::string(to_string(s.target)); };
    const auto labels = [](const Schema& s) {
      return s.label_from.empty() ? "itself" : s.label_from;
    };
    check("sequences of", steps(schema), steps(schema_));
    check("the features", list(schema.features), list(schema_.features));
    check("answers for the task", task(schema), task(schema_));
    check("the answers", list(schema.targets), list(schema_.targets));
    check("labels from", labels(schema), labels(schema_));
  }

  std::vector<fs::path> files_;
  std::size_t next_ = 1;
  FileOpener opener_;
  std::unique_ptr<Reader> reader_;
  std::string first_;  // the name of the first file
};
}  // namespace

std::unique_ptr<Reader> open(std::span<const fs::path> paths, const Options& options,
                             std::shared_ptr<Vocabulary> vocabulary) {
  DataFiles found = find_files(paths);
  FileOpener opener(options, std::move(vocabulary), found);
  return std::make_unique<Chain>(std::move(found.files), std::move(opener));
}

}  // namespace rwa::formats
