// tests/datasets/files_testing.h: data sets without files: a reader over sequences in memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "datasets/files.h"
#include "datasets/files_read.h"
#include "formats/reader.h"

namespace rwa::datasets {

// One sequence: x or symbols, and its target.
struct MemorySequence {
  std::vector<float> x = {};
  std::vector<std::string> symbols = {};
  std::vector<std::string> labels = {};
  std::vector<float> values = {};
};

class MemoryReader final : public formats::Reader {
 public:
  MemoryReader(formats::Schema schema, std::string file,
               const std::vector<MemorySequence>& sequences,
               std::shared_ptr<formats::Vocabulary> vocabulary)
      : file_(std::move(file)), sequences_(sequences), vocabulary_(std::move(vocabulary)) {
    schema_ = std::move(schema);
  }

  [[nodiscard]] const std::string& file() const override { return file_; }

  bool next(formats::Sequence& sequence) override {
    if (number_ == sequences_.size()) return false;
    const MemorySequence& given = sequences_[number_++];
    sequence.clear();
    sequence.id = std::to_string(number_);
    sequence.line = static_cast<std::int64_t>(number_);
    sequence.x = given.x;
    sequence.values = given.values;
    for (const auto& word : given.symbols) {
      sequence.symbols.push_back(vocabulary_->symbols.number(word));
    }
    for (const auto& word : given.labels) {
      sequence.labels.push_back(vocabulary_->labels.number(word));
    }
    sequence.steps = static_cast<int>(schema_.symbols ? given.symbols.size()
                                                      : given.x.size() / schema_.features.size());
    return true;
  }

 private:
  std::string file_;
  const std::vector<MemorySequence>& sequences_;
  std::shared_ptr<formats::Vocabulary> vocabulary_;
  std::size_t number_ = 0;
};

// Data sets by file name. All but the training files must be opened with the schema.
struct MemoryFiles {
  formats::Schema schema;
  std::map<std::string, std::vector<MemorySequence>> files;

  std::unique_ptr<Files> open(const FilesTask& task, std::uint64_t seed = 1,
                              const Reading& reading = {}) const {
    const Open given = [this](const std::vector<std::filesystem::path>& paths,
                              const formats::Options& options,
                              std::shared_ptr<formats::Vocabulary> vocabulary) {
      const std::string name = paths.at(0).string();
      if (name != "train" && options.as != schema) throw std::logic_error("another schema");
      return std::make_unique<MemoryReader>(schema, name, files.at(name), std::move(vocabulary));
    };
    return open_files(task, seed, "/nowhere", reading, given);
  }
};

inline FilesTask train_only() { return {.train = {"train"}, .split = 0}; }

// A schema with one feature, "a", and this target.
inline formats::Schema one_feature(formats::Target target) {
  formats::Schema schema{.features = {"a"}, .target = target};
  if (target != formats::Target::kNone) schema.targets = {"y"};
  return schema;
}

}  // namespace rwa::datasets
