// tests/workflows/stream_state_test.cc: a saved state resumes bit-identical, whatever the ids; it is
// the whole state or refused, and a run that was killed is not passed over.
#include "workflows/stream_state.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "io/safetensors.h"
#include "rwa/cells.h"
#include "rwa/errors.h"
#include "workflows/stream_keeper.h"
#include "workflows/stream_testing.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

class StreamStates : public ::testing::Test {
 protected:
  void save(const Streams& streams, const StreamProgress& progress = {}) {
    write_stream_state(file_, streams.model(), streams.all(), progress);
  }
  void restore(Streams& streams) {
    streams.set_all(read_stream_state(file_, streams.model()).streams);
  }
  // What the next run would say, as if this one were killed now.
  std::string note_of_next(const Trained& trained) {
    const fs::path copy = folder_.path() / "copy";
    fs::copy_file(file_, copy, fs::copy_options::overwrite_existing);
    Streams next(trained, {.id = true});
    return StreamKeeper(next, copy).note().substr(copy.string().size());
  }
  void expect_refusal(const Streams& streams, std::initializer_list<std::string_view> parts) {
    io::expect_error<ModelFileError>([&] { read_stream_state(file_, streams.model()); }, parts);
  }

  io::TempFolder folder_;
  fs::path file_ = folder_.path() / "state.safetensors";
};

TEST_F(StreamStates, TwoHalvesAreOneWhole) {
  datasets::Encoding numbers = numbers_encoding(Target::kClass);
  numbers.missing = datasets::Missing::kPrevious;
  datasets::Encoding kmers = letters_encoding(Target::kClass);
  kmers.kmer = 2;
  kmers.alphabet = {"ab", "bc", "ca"};
  const std::vector<std::string> rows = {"a,1,2", "b,3,4", "a,5,?", "b,?,6", "a,?,?", "c,1,2"};
  const std::vector<std::string> texts = {"a abc", "b bca", "a a", "b b", "a bc", "c ab"};
  for (const bool symbols : {false, true}) {
    for (const Cell cell : all_cells()) {
      const Trained trained = make_trained(symbols ? kmers : numbers, {.cell = cell, .layers = 2});
      const auto& lines = symbols ? texts : rows;
      Streams whole(trained, {.id = true}), first(trained, {.id = true});
      std::string halves = answers_to(first, {lines.begin(), lines.begin() + 3});
      save(first);
      Streams second(trained, {.id = true});
      restore(second);
      halves += answers_to(second, {lines.begin() + 3, lines.end()});
      EXPECT_EQ(halves, answers_to(whole, lines))
          << to_string(cell) << (symbols ? " of symbols" : "");
    }
  }
}

TEST_F(StreamStates, AnyIdCanBeSaved) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {.id = true});
  std::vector<std::string> lines = {"__metadata__,1,2", "\"a,\"\"b\",3,4", "\"\",5,6",
                                    "\"3:b\",7,8", std::string(1'000'000, 'i') + ",7,8"};
  for (int i = 0; i < 20'000; ++i) lines.push_back(fmt::format("ä{},1,2", i));
  answers_to(streams, lines);
  save(streams);
  Streams restored(trained, {.id = true});
  restore(restored);
  EXPECT_EQ(restored.all(), streams.all());
}

TEST_F(StreamStates, NothingBegunIsAStateToo) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {});
  answers_to(streams, {"1,2", ""});
  save(streams);
  EXPECT_TRUE(read_stream_state(file_, streams.model()).streams.empty());
}

// In every byte: the header, the padding, the numbers, the ids and the metadata.
TEST_F(StreamStates, AFlippedBitIsFound) {
  datasets::Encoding kmers = letters_encoding(Target::kClass);
  kmers.kmer = 2;
  kmers.alphabet = {"ab", "bc", "ca"};
  const Trained trained = make_trained(kmers);
  Streams streams(trained, {.id = true});
  answers_to(streams, {"a abc", "b bca"});
  save(streams);
  const std::string content = io::get(file_);
  for (std::size_t bit = 0; bit < 8 * content.size(); bit += 3) {
    std::string damaged = content;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    io::put(file_, damaged);
    EXPECT_THROW(read_stream_state(file_, streams.model()), ModelFileError) << "bit " << bit;
  }
}

TEST_F(StreamStates, OtherFilesAreRefused) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {});
  answers_to(streams, {"1,2"});
  save(streams);
  Trained other = make_trained(numbers_encoding(Target::kClass));
  std::vector<float> weights(other.model.weights().begin(), other.model.weights().end());
  weights[0] += 1;
  other.model.set_weights(weights);
  expect_refusal(Streams(other, {}), {file_.string(), "found the state of another model"});
  trained.model.save(file_);
  expect_refusal(streams, {"expected \"rwa-stream\""});
  io::put(file_, "nonsense");
  expect_refusal(streams, {file_.string()});
}

// A checksum that is right does not make a content right.
TEST_F(StreamStates, ContentMustFit) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {.id = true});
  answers_to(streams, {"a,1,2", "b,3,4"});
  const auto refused = [&](const auto& change, std::initializer_list<std::string_view> parts) {
    save(streams);
    io::TensorFile content = io::read_safetensors(file_, io::Accept::kTexts);
    change(content);
    io::seal(content);
    io::write_safetensors(file_, content);
    expect_refusal(streams, parts);
  };
  refused([](auto& content) { content.metadata["format_version"] = "3"; },
          {"found version \"3\" of the format, expected 2", "a later rwa"});
  refused([](auto& content) { content.metadata["lines"] = "-1"; }, {"lines is \"-1\""});
  refused([](auto& content) { content.texts["ids"] = "1:a1:a"; }, {"the id \"a\" twice"});
  refused([](auto& content) { content.texts["ids"] = "1:a2:b"; }, {"has \"2:b\" after 1 text,"});
  refused([](auto& content) { content.texts["ids"] = "1:a"; }, {"expected \"state\" of shape [1,"});
  refused([](auto& content) { content.texts.clear(); }, {"lacks \"ids\""});
  refused([](auto& content) { content.texts["tails"] = "0:"; }, {"has 1 tail, expected 2"});
  refused([](auto& content) { content.tensors.pop_back(); }, {"lacks the tensor \"last\""});
}

TEST_F(StreamStates, TheKeeperSaysWhereItGoesOn) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {.id = true});
  StreamKeeper keeper(streams, file_);
  EXPECT_EQ(keeper.note(), "");
  EXPECT_FALSE(keeper.due_in());
  answers_to(streams, {"a,1,2", "b,1,2", "a,3,4"});
  keeper.see_answer();
  EXPECT_TRUE(keeper.due_in());
  EXPECT_EQ(note_of_next(trained),
            ": going on with 0 unfinished sequences; the last run was killed, and "
            "what it answered later is not kept");
  keeper.end();
  EXPECT_FALSE(keeper.due_in());
  EXPECT_EQ(note_of_next(trained),
            ": going on with 2 unfinished sequences, saved after line 3 of their input");
}

TEST_F(StreamStates, ARunWithoutAnAnswerLeavesThePlace) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {.id = true});
  answers_to(streams, {"a,1,2", "b,1,2"});
  for (const bool ended : {false, true}) {
    save(streams, {.lines = 7, .ended = ended});
    const std::string before = note_of_next(trained);
    Streams next(trained, {.id = true});
    StreamKeeper(next, file_).end();
    EXPECT_EQ(note_of_next(trained), before);
    EXPECT_NE(before.find("after line 7 of their input"), before.npos) << before;
  }
}

TEST_F(StreamStates, TheHeaderGoesOn) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const std::vector<std::string> lines = {"v,x,u", "1,9,2", "3,9,4"};
  Streams whole(trained, {});
  const std::string expected = answers_to(whole, lines);
  Streams first(trained, {});
  std::string halves;
  {
    StreamKeeper keeper(first, file_);
    halves = answers_to(first, {lines[0], lines[1]});
    keeper.end();
  }
  Streams second(trained, {});
  const StreamKeeper keeper(second, file_);
  EXPECT_NE(keeper.note().find("columns in the order of their header: v, x, u"), std::string::npos);
  EXPECT_EQ(halves + answers_to(second, {lines[2]}), expected);
}

TEST_F(StreamStates, TwoKeepersCannotHaveOneFile) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {}), others(trained, {});
  std::optional<StreamKeeper> keeper(std::in_place, streams, file_);
  keeper->end();
  io::expect_error<ConfigError>([&] { StreamKeeper(others, file_); },
                                {file_.string(), "another process saves its state there"});
  keeper.reset();
  EXPECT_NO_THROW(StreamKeeper(others, file_));
}

// Where there are no locks.
TEST_F(StreamStates, AFileThatAnotherProcessReplacedIsNotReplacedAgain) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {});
  StreamKeeper keeper(streams, file_);
  const fs::path other = folder_.path() / "other";
  fs::copy(file_, other);
  fs::rename(other, file_);
  io::expect_error<ResourceError>([&] { keeper.end(); },
                                  {file_.string(), "another process has replaced the state"});
  fs::remove(file_);
  EXPECT_NO_THROW(keeper.end());
}

TEST_F(StreamStates, AStateThatCannotBeWrittenIsRefusedAtOnce) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {});
  io::expect_error<ResourceError>([&] { StreamKeeper(streams, folder_.path() / "none" / "state"); },
                                  {"none/state: cannot"});
}

}  // namespace
}  // namespace rwa::workflows
