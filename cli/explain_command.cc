// cli/explain_command.cc: `rwa explain`: which time steps a prediction depends on.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "model_options.h"
#include "outputs.h"
#include "report/page.h"
#include "report/steps.h"
#include "rwa/cells.h"
#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "say.h"
#include "workflows/explain.h"
#include "workflows/explain_report.h"
#include "workflows/output.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa explain runs/vowels new.csv                      List the most important steps\n"
    "  rwa explain runs/dna promoters.fa --out steps.html   Write a page of coloured sequences\n"
    "  rwa explain runs/dna promoters.fa --id LACZ --out lacz.svg\n"
    "  rwa explain runs/vowels new.csv --method gradients --json --limit 100\n"
    "\n"
    "Methods:\n"
    "  shares     The exact share of each step in the final average of the last layer's units.\n"
    "             For cells that keep an average: {}.\n"
    "  gradients  Integrated gradients along the path from a baseline (the mean of the training\n"
    "             data; for symbols, no symbol) to the sequence. They add up to the change in the\n"
    "             prediction: log2 of its probability (bits), or a number in its own unit.\n"
    "\n"
    "If a model predicts every step, the last prediction is explained.";

struct ExplainCommand {
  fs::path model;
  std::vector<fs::path> data;
  std::string method;
  workflows::ExplainOptions options;
  fs::path out;
  bool json = false;
};

enum class Kind { kText, kJson, kPage, kSvg };

Kind kind_of(const ExplainCommand& command) {
  if (command.out.empty()) return command.json ? Kind::kJson : Kind::kText;
  const std::string ending = command.out.extension().string();
  if (ending == ".html") return Kind::kPage;
  if (ending == ".svg") return Kind::kSvg;
  if (ending == ".json" || ending == ".jsonl") return Kind::kJson;
  throw ConfigError(
      fmt::format("cannot write '{}', expected a name that ends in .html, .svg or .json",
                  command.out.string()));
}

// Writes each explanation when it is made.
void write_lines(const ExplainCommand& command, const workflows::Trained& trained, Kind kind) {
  workflows::ExplanationText text(trained);
  workflows::Output output(command.out);
  bool first = true;
  workflows::explain(trained, command.data, command.options,
                     [&](const workflows::Explanation& made) {
                       if (kind == Kind::kJson) {
                         output.write(text.to_json(made));
                       } else {
                         output.write((first ? "" : "\n") + text.to_text(made));
                       }
                       first = false;
                     });
  output.finish();
}

void write_page(const ExplainCommand& command, const workflows::Trained& trained) {
  workflows::ExplanationPage page(trained, *command.options.method, command.model.string());
  workflows::explain(trained, command.data, command.options,
                     [&](const workflows::Explanation& made) { page.add(made); });
  report::write_page(page.page(), command.out);
}

void write_svg(const ExplainCommand& command, const workflows::Trained& trained) {
  const workflows::ExplanationPage page(trained, *command.options.method, "");
  std::string svg;
  workflows::explain(trained, command.data, command.options,
                     [&](const workflows::Explanation& made) {
                       if (!svg.empty()) {
                         throw ConfigError(
                             "found several sequences for one picture, expected one: use --id ID "
                             "or --limit 1");
                       }
                       svg = report::to_svg(page.picture(made));
                     });
  workflows::Output output(command.out);
  output.write(svg);
  output.finish();
}

// Shares are those of all outputs; only pictures are sorted by one.
workflows::Method method_of(const ExplainCommand& command, const Model& model, Kind kind) {
  using workflows::Method;
  const bool is_of_one =
      command.options.output.has_value() && (kind == Kind::kText || kind == Kind::kJson);
  if (command.method.empty()) {
    return is_of_one ? Method::kGradients : workflows::default_method(model);
  }
  const Method method = workflows::parse_method(command.method);
  if (!is_of_one || method != Method::kShares) return method;
  throw ConfigError(
      "--output has no effect on shares without a picture: use --method gradients, or --out with a "
      "name that ends in .html or .svg");
}

void explain(ExplainCommand& command) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const Kind kind = kind_of(command);
  refuse_input("--out", command.out, command.model, command.data);
  const workflows::Trained trained = workflows::load_trained(command.model);
  command.options.method = method_of(command, trained.model, kind);
  switch (kind) {
    case Kind::kText:
    case Kind::kJson:
      write_lines(command, trained, kind);
      break;
    case Kind::kPage:
      write_page(command, trained);
      break;
    case Kind::kSvg:
      write_svg(command, trained);
      break;
  }
  say_written(command.out);
}

}  // namespace

void add_explain_command(const Command& app) {
  auto options = std::make_shared<ExplainCommand>();
  options->options.threads = default_threads();
  const auto command = app.add_command("explain", "Show which time steps a prediction depends on");
  add_model(command, options->model);
  command.add_option("DATA", options->data, "Files, folders, or - for standard input").required();
  command.add_option("--id", options->options.ids, "Explain only this sequence (repeatable)")
      .one_value_per_use();
  command.add_number("--limit", options->options.limit, {.least = 1, .most = 1'000'000'000},
                     "Maximum number of explanations (default: 10, or no limit with --id)");
  command.add_option("--method", options->method,
                     "shares (default for cells that keep an average, without --output) or "
                     "gradients");
  command.add_option("--output", options->options.output,
                     "Class, label or number to explain (default: the prediction, or the first "
                     "number)");
  const auto out =
      command.add_option("--out", options->out, "Write to this file: .html, .svg or .json");
  command.add_flag("--json", options->json, "Print JSON, one object per line").excludes(out);
  command.set_footer(fmt::format(kExample, averaging_cell_names()));
  command.set_action([options] { explain(*options); });
}

}  // namespace rwa::cli
