// tests/workflows/stream_test.cc: tests that streams predict line by line what predict() does for
// whole sequences, and that several streams are independent.
#include "workflows/stream.h"

#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "rwa/errors.h"
#include "workflows/predict.h"
#include "workflows/stream_testing.h"
#include "workflows/untrained_models.h"

namespace rwa::workflows {
namespace {

namespace fs = std::filesystem;

std::string answers_to(const Trained& trained, const StreamOptions& options,
                       const std::vector<std::string>& lines) {
  Streams streams(trained, options);
  return answers_to(streams, lines);
}

// The fields of a row after the first `count`.
std::string without(std::string_view row, int count) {
  for (; count > 0; --count) row.remove_prefix(row.find(',') + 1);
  return std::string(row);
}

std::vector<std::string> predicted(const Trained& trained, const fs::path& in) {
  const fs::path out = in.parent_path() / "predicted.csv";
  Output output(out);
  write_predictions(trained, open_samples(trained.encoding, {&in, 1}, false), {}, RowFormat::kCsv,
                    output);
  return lines_of(io::get(out));
}

TEST(Stream, SaysWhatAPredictionSays) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in.csv";
  for (const Target target : {Target::kNone, Target::kClass, Target::kLabels, Target::kNumbers,
                              Target::kClassPerStep, Target::kNumbersPerStep}) {
    const Trained trained = make_trained(numbers_encoding(target));
    const std::string table = long_table(15, Target::kNone, 7);
    io::put(in, table);
    const auto rows = predicted(trained, in);
    // The rows of the table, id,u,v, are the lines of the stream.
    const auto said = lines_of(answers_to(trained, {.id = true}, lines_of(table)));
    const bool every = trained.encoding.answers_every_step();
    EXPECT_EQ(said[0], every ? "id," + without(rows[0], 2) : rows[0]);
    std::map<std::string, std::string> last;  // of each sequence
    for (std::size_t i = 1; i < said.size(); ++i) {
      last[said[i].substr(0, said[i].find(','))] = said[i];
      if (every) {
        EXPECT_EQ(without(said[i], 1), without(rows[i], 2)) << to_string(target);
      }
    }
    if (every) {
      EXPECT_EQ(said.size(), rows.size());
      continue;
    }
    ASSERT_EQ(last.size() + 1, rows.size());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      EXPECT_EQ(last[rows[i].substr(0, rows[i].find(','))], rows[i]) << to_string(target);
    }
  }
}

TEST(Stream, LettersContinueTheText) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in.txt";
  io::put(in, "abcab\n");
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const auto rows = predicted(trained, in);
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"abcab"}))[0], without(rows[1], 1));
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"a", "bc", "ab"}))[2], without(rows[1], 1));
  EXPECT_EQ(lines_of(answers_to(trained, {.id = true}, {"x\ta", "y cc", "x,bcab"}))[2],
            "x," + without(rows[1], 1));
}

TEST(Stream, KmersGoOnOverTheEndsOfLines) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in.txt";
  io::put(in, "abcab\n");
  datasets::Encoding encoding = letters_encoding(Target::kClass);
  encoding.kmer = 3;
  encoding.alphabet = {"abc", "bca", "cab"};
  const Trained trained = make_trained(encoding);
  const auto rows = predicted(trained, in);
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"abc", "a", "b"}))[2], without(rows[1], 1));
  io::expect_error<InputError>([&] { answers_to(trained, {}, {"ab"}); },
                               {"stdin:1: found 2 letters, expected 3 or more"});
  io::expect_error<InputError>(
      [&] {
        answers_to(trained, {}, {"abc", "abb"});
      },
      {"stdin:2:3: found the symbol \"abb\""});
}

TEST(Stream, WordsAreSymbols) {
  datasets::Encoding encoding = letters_encoding(Target::kNone);
  encoding.alphabet = {"down", "up"};
  const Trained trained = make_trained(encoding);
  const auto said = lines_of(answers_to(trained, {}, {"up", "down"}));
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"up down"}))[0], said[1]);
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"up,down"}))[0], said[1]);
  io::expect_error<InputError>([&] { answers_to(trained, {}, {"up, left"}); },
                               {"stdin:1:5: found the symbol \"left\", expected one of the model's "
                                "symbols: down up"});
}

TEST(Stream, WordsOfATextAreFoundAsInFiles) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in.txt";
  io::put(in, "The dog, the cat\n");
  datasets::Encoding encoding = letters_encoding(Target::kClass);
  encoding.alphabet = {",", "cat", "the", std::string(datasets::kUnknown)};
  encoding.tokens = formats::Tokens::kWords;
  encoding.lower = encoding.unknown = true;
  const Trained trained = make_trained(encoding);
  const std::string expected = without(predicted(trained, in)[1], 1);
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"The dog, the cat"}))[0], expected);
  EXPECT_EQ(lines_of(answers_to(trained, {}, {"the", " bird,", "THE CAT"}))[2], expected);
  EXPECT_EQ(lines_of(answers_to(trained, {.id = true}, {"x the dog", "x, the cat"}))[1],
            "x," + lines_of(answers_to(trained, {}, {"the dog the cat"}))[0]);
  const auto said = lines_of(answers_to(trained, {.json = true},
                                        {R"({"text": "the dog, the cat"})", "{\"id\": \"\"}",
                                         R"({"x": ["The", "dog", ",", "the", "cat"]})"}));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0], said[1]);
}

TEST(Stream, UnknownSymbolsHaveAPlace) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in.txt";
  io::put(in, "azb\n");
  datasets::Encoding encoding = letters_encoding(Target::kNone);
  encoding.alphabet.emplace_back(datasets::kUnknown);
  encoding.unknown = true;
  for (const int context : {1, 2}) {
    encoding.widening.context = context;
    const Trained trained = make_trained(encoding);
    const auto rows = predicted(trained, in);
    EXPECT_EQ(rows[0], "id,step,prediction,p_a,p_b,p_c,p_<unknown>");
    EXPECT_EQ(lines_of(answers_to(trained, {}, {"a\u00e9b"}))[0], without(rows[3], 2));
  }
}

TEST(Stream, FastaIsInUpperCase) {
  datasets::Encoding encoding = letters_encoding(Target::kClass);
  encoding.schema.format = formats::Format::kFasta;
  encoding.alphabet = {"A", "C"};
  const Trained trained = make_trained(encoding);
  EXPECT_EQ(answers_to(trained, {}, {"acca"}), answers_to(trained, {}, {"ACCA"}));
  for (const bool id : {false, true}) {
    io::expect_error<InputError>([&] { answers_to(trained, {.id = id}, {">a one"}); },
                                 {"stdin:1:1: found \">a one\", expected only letters, without headers"});
  }
}

TEST(Stream, AnEmptyLineEndsTheSequence) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const auto said = lines_of(answers_to(trained, {}, {"1,2", "3,4", "", "1,2", "3,4"}));
  ASSERT_EQ(said.size(), 4u);
  EXPECT_NE(said[0], said[1]);
  EXPECT_EQ(said[2], said[0]);
  EXPECT_EQ(said[3], said[1]);
  // With ids, an id alone ends its sequence, and an empty line does nothing.
  const auto with_ids =
      lines_of(answers_to(trained, {.id = true}, {"a,1,2", "b,1,2", "a", "", "a,1,2", "b,3,4"}));
  ASSERT_EQ(with_ids.size(), 4u);
  EXPECT_EQ(with_ids[2], "a," + said[0]);
  EXPECT_EQ(with_ids[3], "b," + said[1]);
}

TEST(Stream, SeparatorsAndHeaders) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const std::string expected = answers_to(trained, {}, {"1,2"});
  const std::string header = "prediction,p_maybe,p_no,p_yes\n";
  for (const char* line : {"1\t2", "1 2", " 1 , 2 ", "  1   2 ", "\"1\",\"2\"", "1,2\r",
                           "\xEF\xBB\xBF"
                           "1,2"}) {
    EXPECT_EQ(answers_to(trained, {}, {line}), expected) << line;
  }
  EXPECT_EQ(answers_to(trained, {}, {"u,v", "1,2"}), header + expected);
  EXPECT_EQ(answers_to(trained, {}, {"v,note,u", "2,any,1"}), header + expected);
  EXPECT_EQ(answers_to(trained, {.id = true}, {"name,v,u", "x,2,1"}),
            "id," + header + "x," + expected);
  io::expect_error<InputError>([&] { answers_to(trained, {}, {"u,w"}); },
                               {"stdin:1: found a header without \"v\", expected u, v"});
}

// Else the sequences would be taken for one, or another column for the id.
TEST(Stream, AHeaderSaysWhereTheIdIs) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  io::expect_error<InputError>([&] { answers_to(trained, {}, {"id,u,v"}); },
                               {"stdin:1:1: found the id column \"id\", expected --id, with the id"});
  io::expect_error<InputError>([&] { answers_to(trained, {.id = true}, {"t,id,u,v"}); },
                               {"stdin:1:3: found the id column \"id\", expected the id first in each line"});
}

TEST(Stream, ABadLineSaysWhereAndChangesNothing) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Streams streams(trained, {}), spared(trained, {});
  answers_to(streams, {"1,2", "3,4"});
  answers_to(spared, {"1,2", "3,4"});
  const auto refused = [&](const std::string& line, std::initializer_list<std::string_view> parts) {
    io::expect_error<InputError>([&] { streams.answer(line); }, parts);
  };
  refused("1, x", {"stdin:3:4: found \"x\", expected a number for \"v\""});
  refused("1e39,1", {"stdin:4:1: found \"1e39\", expected a number of at most 3.4e38"});
  refused("1,2,3", {"stdin:5: found 3 numbers, expected 2: u, v"});
  refused("1,?", {"stdin:6:3: found no number for \"v\", expected one"});
  refused("1,\"2", {"stdin:7:3: found an unclosed quote, expected a closing quote"});
  refused("1,\"2\"3", {"stdin:8:6: found \"3\", expected a separator"});
  refused("1,\xFF", {"stdin:9:3: found the byte 0xff, expected UTF-8 text"});
  refused({"\xC3\xA4,\0", 4}, {"stdin:10:3: found a zero byte (NUL), expected text"});
  EXPECT_EQ(streams.answer("5,6"), spared.answer("5,6"));
}

// It could not be saved.
TEST(Stream, AStateThatIsNotFiniteIsRefused) {
  Trained trained = make_trained(numbers_encoding(Target::kClass));
  trained.model.set_weights(std::vector<float>(trained.model.weights().size(), 3e38F));
  io::expect_error<InputError>(
      [&] { answers_to(trained, {}, {"1,2"}); },
      {"stdin:1: found steps after which the model's state is not finite"});
}

TEST(Stream, MissingNumbersAreThoseOfTheStepBefore) {
  datasets::Encoding encoding = numbers_encoding(Target::kNumbersPerStep);
  encoding.missing = datasets::Missing::kPrevious;
  const Trained trained = make_trained(encoding);
  const std::string expected =
      answers_to(trained, {.id = true}, {"a,1,-2", "b,7,8", "a,3,-2", "a,3,4"});
  EXPECT_EQ(answers_to(trained, {.id = true}, {"a,1,?", "b,7,8", "a,3,", "a,NA,4"}), expected);
  // Each stream has its own.
  EXPECT_NE(answers_to(trained, {.id = true}, {"a,1,?", "b,7,8", "a,3,8", "a,NA,4"}), expected);
  encoding.missing = datasets::Missing::kMean;
  const Trained mean = make_trained(encoding);
  EXPECT_EQ(answers_to(mean, {}, {"5,5", "?,NaN"}), answers_to(mean, {}, {"5,5", "1,-2"}));
}

TEST(Stream, Json) {
  const Trained trained = make_trained(numbers_encoding(Target::kNumbers));
  const StreamOptions json{.json = true};
  const std::string step = answers_to(trained, json, {R"({"x":[1,2]})", R"({"x":[3,4]})"});
  EXPECT_EQ(lines_of(answers_to(trained, json, {R"({"x":[[1,2],[3,4]]})"}))[0], lines_of(step)[1]);
  const auto said = lines_of(answers_to(trained, json,
                                        {R"({"id":"a","x":[1,2]})", R"({"x":[1,2],"id":7})",
                                         R"({"id":"a"})", R"({"id":"a","x":[1,2]})"}));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0].substr(0, 10), R"({"id":"a",)");
  EXPECT_EQ(said[1].substr(0, 10), R"({"id":"7",)");
  EXPECT_EQ(said[2], said[0]);
  EXPECT_EQ("{" + said[0].substr(10), lines_of(step)[0]);
  const auto refused = [&](const char* line, std::string_view message) {
    io::expect_error<InputError>([&] { answers_to(trained, json, {line}); }, {message});
  };
  refused("1,2", "stdin:1: found \"1,2\", expected a JSON object on one line");
  refused(R"({"x":[1]})", "stdin:1: found a step of 1 number, expected 2");
  refused(R"({"x":[[1,2],3]})", "stdin:1: found \"3\", expected a step of 2 numbers, as a list");
  refused(R"({"x":[1,"a"]})", R"(found "\"a\"", expected a number for "v")");
  refused(R"({"x":[1,null]})", R"(found no number for "v", expected one)");
  refused(R"({"x":[1,1e300]})", "expected a number of at most 3.4e38");
  refused(R"({"x":[]})", "found no step");
  refused("{}", R"(stdin:1: found an object without "x", "text" or "seq")");
  refused(R"({"id":"a","X":[1,2]})", R"(stdin:1: found an object without "x", "text" or "seq")");
  refused(R"({"x":"ab"})", "expected a list of numbers");
  refused(R"({"x":[1,2],"text":""})", "a second sequence");
  refused(std::string(100'000, '[').c_str(), "expected a JSON object");
}

TEST(Stream, JsonLetters) {
  const Trained trained = make_trained(letters_encoding(Target::kClass));
  const StreamOptions json{.json = true};
  const std::string said = answers_to(trained, json, {R"({"text":"abc"})"});
  EXPECT_EQ(answers_to(trained, json, {R"({"seq":["a","b","c"]})"}), said);
  io::expect_error<InputError>([&] { answers_to(trained, json, {R"({"text":"abd"})"}); },
                               {"stdin:1: found the symbol \"d\""});
}

TEST(Stream, NetworksThatMustSeeTheEndAreRefused) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass), {.bidirectional = true});
  io::expect_error<ConfigError>([&] { Streams(trained, {}); }, {"this network cannot be streamed"});
}

// Both ends of a pipe.
struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    for (const int end : ends) ::close(end);
  }
  int ends[2];
};

TEST(Serve, AnswersEachLineBeforeItReadsTheNext) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Pipe in, out;
  const std::atomic<bool> stop = false;
  bool ended = false;
  std::thread server([&] {
    Streams streams(trained, {});
    ended = serve(streams, in.ends[0], out.ends[1], stop);
  });
  Streams expected(trained, {});
  const auto ask = [&](std::string_view line) {
    // Written in two pieces: a line is complete only at its end.
    const std::string_view first = line.substr(0, 2), rest = line.substr(2);
    ASSERT_EQ(::write(in.ends[1], first.data(), first.size()), std::ssize(first));
    ASSERT_EQ(::write(in.ends[1], rest.data(), rest.size()), std::ssize(rest));
    char answer[256];
    const ssize_t count = ::read(out.ends[0], answer, sizeof answer);  // hangs without an answer
    ASSERT_GT(count, 0);
    EXPECT_EQ(std::string_view(answer, static_cast<std::size_t>(count)),
              expected.answer(line.substr(0, line.find('\n'))));
  };
  for (const char* line : {"1,2\n", "3,4\n", "-5,6\n"}) ask(line);
  // The last line needs no newline.
  ASSERT_EQ(::write(in.ends[1], "7,8", 3), 3);
  ::close(std::exchange(in.ends[1], ::open("/dev/null", O_RDONLY)));
  server.join();
  EXPECT_TRUE(ended);
  char answer[256];
  const ssize_t count = ::read(out.ends[0], answer, sizeof answer);
  EXPECT_EQ(std::string_view(answer, static_cast<std::size_t>(count)), expected.answer("7,8"));
}

TEST(Serve, RefusesALineThatIsTooLong) {
  const io::TempFolder folder;
  const fs::path in = folder.path() / "in";
  io::put(in, "1,2\n" + std::string(kLongestLine + 100, ','));
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  const std::atomic<bool> stop = false;
  Streams streams(trained, {});
  const io::Descriptor input(::open(in.c_str(), O_RDONLY | O_CLOEXEC));
  const io::Descriptor output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  io::expect_error<InputError>([&] { serve(streams, input.get(), output.get(), stop); },
                               {"stdin:2:2097153: found a line of more than 2 MiB",
                                "the sequence goes on in the next line"});
}

TEST(Serve, StopsWhenAsked) {
  const Trained trained = make_trained(numbers_encoding(Target::kClass));
  Pipe in, out;
  const std::atomic<bool> stop = true;
  Streams streams(trained, {});
  EXPECT_FALSE(serve(streams, in.ends[0], out.ends[1], stop));
}

}  // namespace
}  // namespace rwa::workflows
