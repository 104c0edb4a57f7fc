// src/datasets/encoding_json.cc: the encoding as JSON, stored as a note in the model file.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/encoding.h"
#include "io/fields.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::datasets {
namespace {
using Json = nlohmann::ordered_json;
using formats::Target;
using io::Fields;

Json json_of(const formats::Schema& schema) {
  Json json{{"format", to_string(schema.format)},
            {"layout", schema.layout ? Json(to_string(*schema.layout)) : Json()},
            {"symbols", schema.symbols},
            {"features", schema.features},
            {"target", to_string(schema.target)},
            {"targets", schema.targets},
            {"id", schema.id},
            {"time", schema.time},
            {"label_from", schema.label_from}};
  // Fields that models of earlier versions lack.
  if (schema.time_form) json["time_form"] = to_string(*schema.time_form);
  if (schema.horizon > 0) json["horizon"] = schema.horizon;
  return json;
}

Json json_of(const Widening& widening) {
  return {
      {"context", widening.context}, {"positions", widening.positions}, {"span", widening.span}};
}

Json json_of(const Normal& normal) { return {{"mean", normal.mean}, {"scale", normal.scale}}; }

Json json_of(const OwnScale& own) {
  return {
      {"least", own.least}, {"means", json_of(own.means)}, {"deviations", json_of(own.deviations)}};
}

Json json_of(const formats::TimeStep& step) {
  return {{"months", step.months}, {"length", step.length}, {"day", step.day}};
}

Json json_of(const Forecast& forecast, const formats::Schema& schema) {
  std::vector<std::string> targets;
  std::vector<double> weights;
  for (std::size_t i = 0; i < forecast.targets.size(); ++i) {
    targets.push_back(schema.features[forecast.targets[i]]);
    weights.insert(weights.end(), forecast.weights[i].begin(), forecast.weights[i].end());
  }
  Json json = {{"horizon", forecast.horizon},   {"season", forecast.season},
               {"history", forecast.history},   {"interval", forecast.interval},
               {"targets", std::move(targets)}, {"weights", std::move(weights)},
               {"spread", forecast.spread}};
  if (forecast.step) json["step"] = json_of(*forecast.step);
  return json;
}

formats::Schema parse_schema(Fields json) {
  formats::Schema schema;
  json("format", schema.format);
  json("layout", schema.layout);
  json("symbols", schema.symbols);
  json("features", schema.features);
  json("target", schema.target);
  json("targets", schema.targets);
  json("id", schema.id);
  json("time", schema.time);
  json("label_from", schema.label_from);
  if (json.has("time_form")) json("time_form", schema.time_form);
  if (json.has("horizon")) json("horizon", schema.horizon, 0);
  json.finish();
  return schema;
}

Widening parse_widening(Fields json) {
  Widening widening;
  json("context", widening.context, 0);
  json("positions", widening.positions, 0);
  json("span", widening.span, 0);
  if (widening.context < 1) json.fail("\"context\" is 0, expected at least 1");
  if (widening.positions > 0 && widening.span < 1) {
    json.fail(
        fmt::format("\"span\" is 0, expected at least 1 if positions is {}", widening.positions));
  }
  json.finish();
  return widening;
}

void check_size(const Fields& json, std::string_view name, const std::vector<double>& values,
                std::size_t size) {
  if (values.size() == size) return;
  json.fail(fmt::format("the size of \"{}\" is {}, expected {}", name, values.size(), size));
}

void check_positive(const Fields& json, std::string_view name, const std::vector<double>& values) {
  const auto wrong = std::ranges::find_if(values, [](double value) { return !(value > 0); });
  if (wrong == values.end()) return;
  json.fail(fmt::format("\"{}\" contains {}, expected numbers above 0", name, *wrong));
}

Normal parse_normal(Fields json, std::size_t size) {
  Normal normal;
  json("mean", normal.mean);
  json("scale", normal.scale);
  check_size(json, "mean", normal.mean, size);
  check_size(json, "scale", normal.scale, size);
  check_positive(json, "scale", normal.scale);
  json.finish();
  return normal;
}

OwnScale parse_own_scale(Fields json, std::size_t size) {
  OwnScale own;
  json("least", own.least);
  check_size(json, "least", own.least, size);
  check_positive(json, "least", own.least);
  own.means = parse_normal(json.table("means"), size);
  own.deviations = parse_normal(json.table("deviations"), size);
  json.finish();
  return own;
}

formats::TimeStep parse_step(Fields json) {
  formats::TimeStep step;
  json("months", step.months, 0);
  json("length", step.length);
  json("day", step.day, 0);
  if (step.months == 0) check_positive(json, "length", {step.length});
  json.finish();
  return step;
}

Forecast parse_forecast(Fields json, const formats::Schema& schema) {
  Forecast forecast;
  std::vector<double> weights;
  json("horizon", forecast.horizon, 1);
  json("season", forecast.season, 1);
  json("history", forecast.history, 1);
  if (forecast.horizon > Forecast::kMostSteps || forecast.season > Forecast::kMostSteps ||
      forecast.history > Forecast::kMostSteps) {
    json.fail(fmt::format("found a forecast of more than {} steps", Forecast::kMostSteps));
  }
  if (json.has("step")) forecast.step = parse_step(json.table("step"));
  json("interval", forecast.interval);
  std::vector<std::string> targets;
  json("targets", targets);
  json("weights", weights);
  json("spread", forecast.spread);
  check_positive(json, "spread", {forecast.spread});
  for (const std::string& target : targets) {
    const auto found = std::ranges::find(schema.features, target);
    if (found == schema.features.end()) {
      json.fail(fmt::format("\"targets\" contains {}, expected features", io::quote(target)));
    }
    forecast.targets.push_back(static_cast<std::size_t>(found - schema.features.begin()));
  }
  if (targets.empty() || schema.symbols || schema.target != Target::kNone) {
    json.fail("found a forecast without targets, or of another task");
  }
  check_size(json, "weights", weights, targets.size() * kSimpleForecasts);
  for (auto row = weights.begin(); row != weights.end(); row += kSimpleForecasts) {
    forecast.weights.emplace_back(row, row + kSimpleForecasts);
  }
  json.finish();
  return forecast;
}

// Checks that words are unique, and that there are some exactly if they are wanted.
void check_words(const Fields& json, std::string_view name, const std::vector<std::string>& words,
                 bool wanted) {
  std::set<std::string_view> seen;
  for (const std::string& word : words) {
    if (!seen.insert(word).second)
      json.fail(fmt::format("\"{}\" contains {} twice", name, io::quote(word)));
  }
  if (words.empty() == wanted) {
    json.fail(fmt::format("\"{}\" is {}, expected {}", name, wanted ? "empty" : "not empty",
                          wanted ? "at least one text" : "none"));
  }
}

void check(const Fields& json, const Encoding& encoding) {
  const formats::Schema& schema = encoding.schema;
  const bool labelled = schema.target != Target::kNone && !is_of_numbers(schema.target);
  check_words(json, "alphabet", encoding.alphabet, schema.symbols);
  check_words(json, "labels", encoding.labels, labelled);
  if (!schema.symbols && schema.features.empty()) json.fail("the schema has no features");
  if (is_of_numbers(schema.target) && schema.targets.empty()) {
    json.fail("the schema has no targets");
  }
  if (const std::string why = why_no_own_scale(schema);
      encoding.scale == Scale::kSequence && !why.empty()) {
    json.fail(fmt::format("\"scale\" is sequence, expected data or none: {}", why));
  }
  const bool are_words = encoding.tokens == formats::Tokens::kWords;
  if (encoding.kmer > 1 && are_words) {
    json.fail(fmt::format("\"kmer\" is {}, expected 1 for words", encoding.kmer));
  }
  if (!schema.symbols && (encoding.kmer > 1 || are_words || encoding.lower)) {
    json.fail("found numbers with \"kmer\", \"tokens\" or \"lower\", which are for text");
  }
  if (encoding.unknown && (encoding.alphabet.empty() || encoding.alphabet.back() != kUnknown)) {
    json.fail(fmt::format("\"alphabet\" does not end with {}", io::quote(kUnknown)));
  }
  const bool whole = encoding.window == 0;
  if (whole != (encoding.stride == 0) || encoding.stride > encoding.window) {
    json.fail(fmt::format("\"stride\" is {}, expected {} for a window of {}", encoding.stride,
                          whole ? "0" : fmt::format("1 to {}", encoding.window), encoding.window));
  }
}

// Network and encoding in one file may not belong together.
void check_fit(const ModelConfig& network, const Shape& data, std::string_view origin) {
  const auto check = [&](bool fits, std::string_view field, const auto& found,
                         const auto& expected) {
    if (fits) return;
    throw ModelFileError(fmt::format("{}: the network has {} {}, expected {} as in its note \"{}\"",
                                     origin, field, found, expected, kEncodingNote));
  };
  const auto check_equal = [&](std::string_view field, const auto& found, const auto& expected) {
    check(found == expected, field, found, expected);
  };
  check_equal("input", to_string(network.input), to_string(data.input));
  check_equal("inputs", network.inputs, data.inputs);
  check_equal("outputs", network.outputs, data.outputs);
  check_equal("loss", to_string(network.loss), to_string(data.loss));
  if (data.loss == Loss::kPinball) check_equal("interval", network.interval, data.interval);
  check_equal("code", network.code, 0);
  const bool every = data.readout == Readout::kEvery;
  check((network.readout == Readout::kEvery) == every, "readout", to_string(network.readout),
        every ? "every" : "last, mean or attention");
}
}  // namespace

std::string to_json(const Encoding& encoding) {
  Json json{{"schema", json_of(encoding.schema)},
            {"kmer", encoding.kmer},
            {"missing", to_string(encoding.missing)},
            {"window", encoding.window},
            {"stride", encoding.stride},
            {"widening", json_of(encoding.widening)},
            {"features", json_of(encoding.features)},
            {"alphabet", encoding.alphabet},
            {"labels", encoding.labels},
            {"targets", json_of(encoding.targets)}};
  // Fields that models of earlier versions lack.
  if (encoding.tokens != formats::Tokens::kCharacters) json["tokens"] = to_string(encoding.tokens);
  if (encoding.lower) json["lower"] = true;
  if (encoding.unknown) json["unknown"] = true;
  if (encoding.scale != Scale::kData) json["scale"] = to_string(encoding.scale);
  if (encoding.scale == Scale::kSequence) json["own"] = json_of(encoding.own);
  if (encoding.forecast.is_needed()) json["forecast"] = json_of(encoding.forecast, encoding.schema);
  return json.dump();
}

Encoding parse_encoding(std::string_view json, std::string_view origin) {
  const std::string where = fmt::format("{}: the data description", origin);
  Fields fields(io::parse_json(json, where, io::refuse_model_file),
                {.where = where, .refuse = io::refuse_model_file, .required = true});
  Encoding encoding;
  encoding.schema = parse_schema(fields.table("schema"));
  const formats::Schema& schema = encoding.schema;
  fields("kmer", encoding.kmer, {.least = 1, .most = formats::kMostKmer});
  fields("missing", encoding.missing);
  fields("window", encoding.window, 0);
  fields("stride", encoding.stride, 0);
  encoding.widening = parse_widening(fields.table("widening"));
  encoding.features =
      parse_normal(fields.table("features"), schema.symbols ? 0 : schema.features.size());
  fields("alphabet", encoding.alphabet);
  fields("labels", encoding.labels);
  encoding.targets = parse_normal(fields.table("targets"),
                                  is_of_numbers(schema.target) ? schema.targets.size() : 0);
  if (fields.has("tokens")) fields("tokens", encoding.tokens);
  if (fields.has("lower")) fields("lower", encoding.lower);
  if (fields.has("unknown")) fields("unknown", encoding.unknown);
  if (fields.has("scale")) fields("scale", encoding.scale);
  if (encoding.scale == Scale::kSequence) {
    encoding.own = parse_own_scale(fields.table("own"), schema.features.size());
  }
  if (fields.has("forecast")) {
    encoding.forecast = parse_forecast(fields.table("forecast"), schema);
  }
  fields.finish();
  check(fields, encoding);
  return encoding;
}

std::optional<Encoding> find_encoding(const std::map<std::string, std::string>& notes,
                                      const ModelConfig& network, std::string_view origin) {
  const auto note = notes.find(std::string(kEncodingNote));
  if (note == notes.end()) return std::nullopt;
  Encoding encoding = parse_encoding(note->second, origin);
  check_fit(network, encoding.shape(), origin);
  return encoding;
}

}  // namespace rwa::datasets
