#include "c_api/sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "c_api/guard.h"
#include "c_api/json.h"
#include "datasets/encoding.h"
#include "datasets/files_read.h"
#include "training/settings.h"

namespace {
using rwa::ConfigError;
using rwa::InputError;
using rwa::c_api::guarded;
using rwa::c_api::require;
using rwa::formats::Target;
using Json = nlohmann::ordered_json;

constexpr const char* kNoFile =
    "sequences";  // the file name in messages about lists that were not read

rwa::datasets::FilesTask parse_reading(const char* text) {
  rwa::datasets::FilesTask task;
  rwa::io::Fields options = rwa::c_api::read_options(text, "reading options");
  rwa::training::set_reading(options, task);
  options.finish();
  return task;
}

std::unique_ptr<rwa_sequences> read(const std::vector<std::filesystem::path>& paths,
                                    const rwa::datasets::FilesTask& task) {
  const auto words = std::make_shared<rwa::formats::Vocabulary>();
  const auto reader = rwa::formats::open(paths, rwa::datasets::options_of(task), words);
  auto list = std::make_unique<rwa_sequences>();
  list->schema = reader->schema();
  list->findings = reader->findings();
  list->kmer = task.kmer;
  list->tokens = task.tokens;
  list->lower = task.lower;
  list->files = {reader->file()};
  for (rwa::formats::Sequence sequence; reader->next(sequence);) {
    if (reader->file() != list->files.back()) list->files.push_back(reader->file());
    list->items.push_back({sequence, list->files.size() - 1});
  }
  list->words = std::move(*words);
  return list;
}

// Sets the format of arrays or text files, so that a model of these sequences accepts such files.
rwa::formats::Schema parse_schema(const char* text) {
  rwa::formats::Schema schema;
  rwa::Input input = rwa::Input::kNumbers;
  rwa::io::Fields options = rwa::c_api::read_options(text, "schema");
  options("input", input);
  options("features", schema.features);
  options("task", schema.target);
  options("targets", schema.targets);
  options.finish();
  schema.symbols = input == rwa::Input::kSymbols;
  schema.format = schema.symbols ? rwa::formats::Format::kText : rwa::formats::Format::kNpy;
  if (!schema.symbols) schema.layout = rwa::formats::Layout::kNtc;
  if (!schema.symbols && schema.features.empty())
    options.fail("features is empty, expected at least one name");
  const bool answered = schema.target != Target::kNone;
  if (answered && schema.targets.empty()) schema.targets = {"y"};
  if (!answered && !schema.targets.empty()) {
    options.fail(
        fmt::format("targets is given, expected none for the task {}", to_string(schema.target)));
  }
  return schema;
}

void add_words(rwa::formats::Dictionary& dictionary, std::span<const char* const> words) {
  for (const char* word : words) {
    require(word, "a word");
    const std::size_t place = dictionary.words().size();
    if (dictionary.number(word) == static_cast<std::int32_t>(place)) continue;
    throw InputError(fmt::format("the word {} is already in the list", rwa::io::quote(word)));
  }
}

// Copies `count` indices. Throws InputError unless each is below `words`.
void take_places(const std::int32_t* places, std::size_t count, std::size_t words, const char* what,
                 std::vector<std::int32_t>& out) {
  if (count > 0) require(places, what);
  for (std::size_t i = 0; i < count; ++i) {
    if (places[i] >= 0 && std::cmp_less(places[i], words)) continue;
    throw InputError(
        fmt::format("{}[{}] is {}, expected an index below {}", what, i, places[i], words));
  }
  out.assign(places, places + count);
}

rwa::formats::Sequence take(const rwa_sequences& list, const rwa_sequence& from) {
  const rwa::formats::Schema& schema = list.schema;
  if (from.steps < 0) throw InputError(fmt::format("steps is {}, expected 0 or more", from.steps));
  const auto steps = static_cast<std::size_t>(from.steps);
  rwa::formats::Sequence out;
  out.line = static_cast<std::int64_t>(list.items.size()) + 1;
  out.id = from.id == nullptr ? fmt::format("{}", out.line) : from.id;
  out.steps = from.steps;
  if (schema.symbols) {
    take_places(from.symbols, steps, list.words.symbols.words().size(), "symbols", out.symbols);
  } else {
    if (steps > 0) require(from.x, "x");
    out.x.assign(from.x, from.x + steps * schema.features.size());
  }
  take_places(from.labels, from.label_count, list.words.labels.words().size(), "labels",
              out.labels);
  if (from.value_count > 0) require(from.values, "values");
  out.values.assign(from.values, from.values + from.value_count);
  const bool none = out.labels.empty() && out.values.empty();
  const bool excess = is_of_numbers(schema.target) ? !out.labels.empty() : !out.values.empty();
  if (none || (!excess && rwa::datasets::has_answer(schema, out))) return out;
  throw InputError(fmt::format(
      "the targets of sequence {0} do not fit the task {4}: steps: {1}, labels: {2}, values: {3}",
      out.line, from.steps, out.labels.size(), out.values.size(), to_string(schema.target)));
}

Json describe(const rwa::formats::Findings& findings) {
  Json columns = Json::array();
  for (const auto& column : findings.columns) {
    columns.push_back({{"name", column.name}, {"role", column.role}, {"why", column.why}});
  }
  return {
      {"columns", std::move(columns)}, {"task", findings.task}, {"warnings", findings.warnings}};
}

Json describe(const rwa_sequences& list) {
  const rwa::formats::Schema& schema = list.schema;
  return {{"format", to_string(schema.format)},
          {"layout", schema.layout ? Json(to_string(*schema.layout)) : Json()},
          {"input", to_string(schema.symbols ? rwa::Input::kSymbols : rwa::Input::kNumbers)},
          {"features", schema.features},
          {"task", to_string(schema.target)},
          {"targets", schema.targets},
          {"symbols", list.words.symbols.words()},
          {"labels", list.words.labels.words()},
          {"findings", describe(list.findings)}};
}
}  // namespace

extern "C" {

rwa_result rwa_read(const char* const* paths, size_t count, const char* options,
                    rwa_sequences** out) {
  return guarded([&] {
    if (count > 0) require(static_cast<const void*>(paths), "paths");
    require(out, "out");
    if (count == 0) throw ConfigError("there are no files to read, expected at least one");
    const auto task = parse_reading(options);
    std::vector<std::filesystem::path> all;
    for (const char* path : std::span(paths, count)) {
      require(path, "a path");
      all.emplace_back(path);
    }
    *out = read(all, task).release();
  });
}

rwa_result rwa_sequences_new(const char* schema, rwa_sequences** out) {
  return guarded([&] {
    require(out, "out");
    auto list = std::make_unique<rwa_sequences>();
    list->schema = parse_schema(schema);
    list->files = {kNoFile};
    *out = list.release();
  });
}

void rwa_sequences_free(rwa_sequences* sequences) { delete sequences; }

rwa_result rwa_sequences_count(const rwa_sequences* sequences, size_t* count) {
  return guarded([&] {
    require(sequences, "sequences");
    require(count, "count");
    *count = sequences->items.size();
  });
}

rwa_result rwa_sequences_describe(const rwa_sequences* sequences, const char** json) {
  return guarded([&] {
    require(sequences, "sequences");
    require(json, "json");
    *json = rwa::c_api::keep_json(describe(*sequences));
  });
}

rwa_result rwa_sequences_add_words(rwa_sequences* sequences, const char* const* symbols,
                                   size_t symbol_count, const char* const* labels,
                                   size_t label_count) {
  return guarded([&] {
    require(sequences, "sequences");
    if (symbol_count > 0) require(static_cast<const void*>(symbols), "symbols");
    if (label_count > 0) require(static_cast<const void*>(labels), "labels");
    add_words(sequences->words.symbols, {symbols, symbol_count});
    add_words(sequences->words.labels, {labels, label_count});
  });
}

rwa_result rwa_sequences_get(const rwa_sequences* sequences, size_t number, rwa_sequence* out) {
  return guarded([&] {
    require(sequences, "sequences");
    require(out, "out");
    if (number >= sequences->items.size()) {
      throw InputError(fmt::format("there is no sequence {}, expected an index below {}", number,
                                   sequences->items.size()));
    }
    const rwa::formats::Sequence& found = sequences->items[number].sequence;
    const bool symbols = sequences->schema.symbols;
    *out = {.id = found.id.c_str(),
            .steps = found.steps,
            .x = symbols ? nullptr : found.x.data(),
            .symbols = symbols ? found.symbols.data() : nullptr,
            .labels = found.labels.data(),
            .label_count = found.labels.size(),
            .values = found.values.data(),
            .value_count = found.values.size()};
  });
}

rwa_result rwa_sequences_add(rwa_sequences* sequences, const rwa_sequence* sequence) {
  return guarded([&] {
    require(sequences, "sequences");
    require(sequence, "sequence");
    sequences->items.push_back({take(*sequences, *sequence), 0});
  });
}
}
