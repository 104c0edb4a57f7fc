// cli/explain_command.cc: `rwa explain`: which time steps a prediction depends on.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands.h"
#include "report/page.h"
#include "report/steps.h"
#include "rwa/cells.h"
#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/version.h"
#include "workflows/explain.h"
#include "workflows/explain_report.h"
#include "workflows/output.h"
#include "workflows/trained.h"

namespace rwa::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample =
    "Examples:\n"
    "  rwa explain runs/vowels new.csv                      the steps that count most, as text\n"
    "  rwa explain runs/dna promoters.fa --out steps.html   the sequences, coloured\n"
    "  rwa explain runs/dna promoters.fa --id LACZ --out lacz.svg\n"
    "  rwa explain runs/vowels new.csv --method gradients --json --limit 100\n"
    "\n"
    "shares: of a cell that keeps an average ({}), the exact share of every\n"
    "step in the average that each unit of the last layer ends with. gradients: integrated "
    "gradients\n"
    "from the mean of the training data (symbols: from no symbol) to the sequence, of the "
    "logarithm\n"
    "of the answer's probability in bits, or of a number; parts add up to the difference between\n"
    "both. Where a model answers every step, the last answer is explained.";

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

// Writes each as it comes.
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
                             "found several sequences for one picture, expected one: --id ID or "
                             "--limit 1 says which");
                       }
                       svg = report::to_svg(page.picture(made));
                     });
  workflows::Output output(command.out);
  output.write(svg);
  output.finish();
}

void explain(ExplainCommand& command) {
  instruction_set();  // throws for an RWA_CPU that this machine lacks
  const Kind kind = kind_of(command);
  const workflows::Trained trained = workflows::load_trained(command.model);
  command.options.method = command.method.empty() ? workflows::default_method(trained.model)
                                                  : workflows::parse_method(command.method);
  switch (kind) {
    case Kind::kText:
    case Kind::kJson:
      return write_lines(command, trained, kind);
    case Kind::kPage:
      return write_page(command, trained);
    case Kind::kSvg:
      return write_svg(command, trained);
  }
}

}  // namespace

void add_explain_command(CLI::App& app) {
  auto options = std::make_shared<ExplainCommand>();
  options->options.threads = default_threads();
  auto* command = app.add_subcommand("explain", "Which steps of your sequences a model goes by");
  command
      ->add_option("MODEL", options->model,
                   "A model, or the folder that rwa train has written it to")
      ->required();
  command->add_option("DATA", options->data, "Files, folders, or - for the standard input")
      ->required();
  command->add_option("--id", options->options.ids, "A sequence to explain (may be repeated)")
      ->allow_extra_args(false);
  command
      ->add_option("--limit", options->options.limit,
                   "How many to explain at most (10; with --id: all that have it)")
      ->check(CLI::PositiveNumber);
  command->add_option("--method", options->method,
                      "shares (default, where the cell keeps an average) or gradients");
  command->add_option(
      "--output", options->options.output,
      "The class, label or number to explain (default: what is answered; of numbers "
      "the first)");
  auto* out = command->add_option("--out", options->out, "File to write to: .html, .svg or .json");
  command->add_flag("--json", options->json, "Lines of JSON on the standard output")->excludes(out);
  command->footer(fmt::format(kExample, averaging_cell_names()));
  command->callback([options] { explain(*options); });
}

}  // namespace rwa::cli
