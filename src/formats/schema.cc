#include "formats/schema.h"

#include "base/names.h"

namespace rwa::formats {
namespace {
constexpr Names<Format, 11> kFormats{{{Format::kTable, "table"},
                                      {Format::kTs, "ts"},
                                      {Format::kArff, "arff"},
                                      {Format::kTsf, "tsf"},
                                      {Format::kJsonl, "jsonl"},
                                      {Format::kFasta, "fasta"},
                                      {Format::kFastq, "fastq"},
                                      {Format::kText, "text"},
                                      {Format::kNpy, "npy"},
                                      {Format::kNpz, "npz"},
                                      {Format::kIdx, "idx"}}};
constexpr Names<Layout, 5> kLayouts{{{Layout::kLong, "long"},
                                     {Layout::kWide, "wide"},
                                     {Layout::kNtc, "ntc"},
                                     {Layout::kNct, "nct"},
                                     {Layout::kTnc, "tnc"}}};
constexpr Names<Target, 6> kTargets{{{Target::kNone, "forecast"},
                                     {Target::kClass, "class"},
                                     {Target::kLabels, "labels"},
                                     {Target::kNumbers, "numbers"},
                                     {Target::kClassPerStep, "class-per-step"},
                                     {Target::kNumbersPerStep, "numbers-per-step"}}};
constexpr Names<Tokens, 2> kTokens{
    {{Tokens::kCharacters, "characters"}, {Tokens::kWords, "words"}}};
}  // namespace

std::string_view to_string(Format format) { return name_of(kFormats, "format", format); }
std::string_view to_string(Layout layout) { return name_of(kLayouts, "layout", layout); }
std::string_view to_string(Target target) { return name_of(kTargets, "task", target); }
std::string_view to_string(Tokens tokens) { return name_of(kTokens, "tokens", tokens); }
Format parse_format(std::string_view name) { return parse_name(kFormats, "format", name); }
Layout parse_layout(std::string_view name) { return parse_name(kLayouts, "layout", name); }
Target parse_target(std::string_view name) { return parse_name(kTargets, "task", name); }
Tokens parse_tokens(std::string_view name) { return parse_name(kTokens, "tokens", name); }

std::vector<std::string> decimal_marks() { return {".", ","}; }

}  // namespace rwa::formats
