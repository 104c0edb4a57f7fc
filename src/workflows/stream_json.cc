// src/workflows/stream_json.cc: lines that are JSON objects.
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <simdjson.h>

#include "io/quote.h"
#include "workflows/stream_line.h"

namespace rwa::workflows {
namespace {

namespace dom = simdjson::dom;

std::string quoted(const dom::element& element) { return io::quote(simdjson::minify(element)); }

class JsonLines : public LineReader {
 public:
  explicit JsonLines(const datasets::Encoding& encoding)
      : encoding_(encoding), words_(has_words(encoding)) {}

  void read(const LinePlace& place, StreamLine& line) override {
    line = {};
    dom::object object;
    const auto error = parser_.parse(place.text.data(), place.text.size()).get(object);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS) {
      place.refuse(nullptr, io::quote(place.text),
                   fmt::format("a JSON object on one line ({})", simdjson::error_message(error)));
    }
    line.kind = StreamLine::Kind::kEnd;
    for (const auto& [key, value] : object) {
      if (key == "id") {
        line.id = read_id(value, place);
      } else if (key == "x" || key == "text" || key == "seq") {
        if (line.kind == StreamLine::Kind::kSteps) {
          place.refuse(nullptr, fmt::format("{}, a second sequence", io::quote(key)),
                       "one in an object");
        }
        line.kind = StreamLine::Kind::kSteps;
        read_steps(value, place, line);
      }
    }
  }

 private:
  static std::string read_id(const dom::element& value, const LinePlace& place) {
    if (value.is<std::string_view>()) return std::string(std::string_view(value));
    if (value.is<std::int64_t>()) return fmt::format("{}", std::int64_t(value));
    place.refuse(nullptr, quoted(value), "a text or a whole number as id");
  }

  void read_steps(const dom::element& value, const LinePlace& place, StreamLine& line) const {
    std::string_view text;
    dom::array list;
    if (value.get(text) == simdjson::SUCCESS && encoding_.schema.symbols) {
      if (words_) {
        line.letters.push_back({std::string(text)});
      } else {
        append_letters(text, false, line.letters);
      }
    } else if (value.get(list) != simdjson::SUCCESS) {
      place.refuse(nullptr, quoted(value),
                   encoding_.schema.symbols ? "a text or a list of symbols" : "a list of numbers");
    } else if (encoding_.schema.symbols) {
      for (const dom::element symbol : list) line.letters.push_back({read_id(symbol, place)});
    } else {
      read_numbers(list, place, line);
    }
    if (line.x.empty() && line.letters.empty()) place.refuse(nullptr, "no step", "at least one");
  }

  // [[1, 2], …] are steps, and so is, of several features, [1, 2]; of one [1, 2] are two steps.
  void read_numbers(const dom::array& list, const LinePlace& place, StreamLine& line) const {
    const std::size_t features = encoding_.schema.features.size();
    if (features > 1 && list.size() > 0 && !list.at(0).is<dom::array>()) {
      read_step(list, place, line);
      return;
    }
    for (const dom::element step : list) {
      if (step.is<dom::array>()) {
        read_step(dom::array(step), place, line);
      } else {
        read_number(step, 0, place, line);
      }
    }
  }

  void read_step(const dom::array& step, const LinePlace& place, StreamLine& line) const {
    const std::size_t features = encoding_.schema.features.size();
    if (step.size() != features) {
      place.refuse(nullptr, fmt::format("a step of {} numbers", step.size()),
                   fmt::format("{}", features));
    }
    std::size_t feature = 0;
    for (const dom::element number : step) read_number(number, feature++, place, line);
  }

  void read_number(const dom::element& element, std::size_t feature, const LinePlace& place,
                   StreamLine& line) const {
    const std::string& name = encoding_.schema.features[feature];
    double number = 0;
    if (element.is_null()) {
      line.x.push_back(missing_number(encoding_, name, place, nullptr));
    } else if (element.get(number) != simdjson::SUCCESS) {
      place.refuse(nullptr, quoted(element), fmt::format("a number for {}", io::quote(name)));
    } else if (std::abs(number) > std::numeric_limits<float>::max()) {
      place.refuse(nullptr, quoted(element), "a number of at most 3.4e38");
    } else {
      line.x.push_back(static_cast<float>(number));
    }
  }

  const datasets::Encoding& encoding_;
  const bool words_;
  dom::parser parser_;
};

}  // namespace

std::unique_ptr<LineReader> make_json_lines(const datasets::Encoding& encoding) {
  return std::make_unique<JsonLines>(encoding);
}

}  // namespace rwa::workflows
