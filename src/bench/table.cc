// src/bench/table.cc: columns as wide as their longest cell; numbers are right-aligned.
#include "bench/table.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "io/replace_file.h"
#include "rwa/errors.h"
#include "rwa/version.h"

namespace rwa::bench {
namespace {

namespace fs = std::filesystem;

struct Column {
  std::string heading;
  bool is_text;  // left-aligned; numbers are right-aligned
  std::function<std::string(const Row&)> cell;
};

// About four digits: more would be noise.
std::string number(double value) {
  if (value < 10) return fmt::format("{:.2f}", value);
  return value < 1000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

bool comparable(const Row& a, const Row& b) {
  return a.what.mode == b.what.mode && a.what.steps == b.what.steps &&
         a.what.batch == b.what.batch && a.what.units == b.what.units;
}

// rwa's plain row of that cell for the same work: whole sequences, with full memory if measured.
const Row* reference(const Report& report, const Row& row, Cell cell) {
  const Row* best = nullptr;
  for (const Row& other : report.rows) {
    const Case& what = other.what;
    if (what.peer || what.ragged || what.network != Network::kLayer) continue;
    if (what.cell != cell || !comparable(other, row)) continue;
    if (best == nullptr || what.memory == Memory::kFull) best = &other;
  }
  return best;
}

// cuDNN's fastest fp32 LSTM for the same work, over all its algorithms.
const Row* cudnn_reference(const Report& report, const Row& row) {
  const Row* best = nullptr;
  for (const Row& other : report.rows) {
    if (other.what.name != "cudnn-lstm" || !other.what.variant.starts_with("fp32")) continue;
    if (!comparable(other, row)) continue;
    if (best == nullptr || other.us_per_step < best->us_per_step) best = &other;
  }
  return best;
}

std::string relative(const Row& row, const Row* to) {
  return to == nullptr ? "" : fmt::format("{:.2f}", row.us_per_step / to->us_per_step);
}

// Empty for a single round.
std::string spread(const Row& row) {
  return row.us_min < row.us_max ? number(row.us_min) + "…" + number(row.us_max) : "";
}

// A size that is the same in all rows is in the heading instead.
void add_sizes(const Plan& plan, std::vector<Column>& columns) {
  const auto add = [&](const char* heading, int Case::*size) {
    columns.push_back(
        {heading, false, [size](const Row& row) { return std::to_string(row.what.*size); }});
  };
  if (plan.batches.size() > 1) add("batch", &Case::batch);
  if (plan.units.size() > 1) add("units", &Case::units);
  add("steps", &Case::steps);
  if (plan.on_cpu()) add("threads", &Case::threads);
}

void add_times(const Plan& plan, std::vector<Column>& columns) {
  columns.push_back({"µs/step", false, [](const Row& row) { return number(row.us_per_step); }});
  columns.push_back({"min…max", false, spread});
  columns.push_back({"GFLOP/s", false, [](const Row& row) { return number(row.gflops); }});
  if (plan.on_cpu()) {
    columns.push_back({"of peak", false, [](const Row& row) {
                         return fmt::format("{:.1f} %", 100 * row.peak_fraction.value_or(0));
                       }});
  }
  columns.push_back({"memory", false, [](const Row& row) {
                       return number(static_cast<double>(row.peak_bytes) / 1e6) + " MB";
                     }});
}

void add_ratios(const Plan& plan, const Report& report, std::vector<Column>& columns) {
  columns.push_back({"time/rwa", false, [&](const Row& row) {
                       return relative(row, reference(report, row, Cell::kRwa));
                     }});
  columns.push_back({"time/lstm", false, [&](const Row& row) {
                       return row.what.cell == Cell::kLstm
                                  ? relative(row, reference(report, row, Cell::kLstm))
                                  : "";
                     }});
  if (plan.on_cpu()) return;
  columns.push_back({"time/cudnn", false,
                     [&](const Row& row) { return relative(row, cudnn_reference(report, row)); }});
}

std::vector<Column> make_columns(const Plan& plan, const Report& report) {
  std::vector<Column> columns = {
      {"name", true, [](const Row& row) { return row.what.name; }},
      {"mode", true, [](const Row& row) { return std::string(to_string(row.what.mode)); }},
      {"variant", true, [](const Row& row) { return variant_of(row.what); }}};
  add_sizes(plan, columns);
  add_times(plan, columns);
  add_ratios(plan, report, columns);
  return columns;
}

// Characters, not bytes: continuation bytes of UTF-8 begin with the bits 10.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

using Line = std::vector<std::string>;

std::string aligned(const std::vector<Column>& columns, const Line& cells,
                    const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string space(widths[i] - width(cells[i]), ' ');
    text += (i == 0 ? "" : "  ") + (columns[i].is_text ? cells[i] + space : space + cells[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string peaks(const Report& report) {
  std::string text;
  for (const auto& [threads, gflops] : report.peak_gflops) {
    text += fmt::format("{}{:.1f} GFLOP/s with {}", text.empty() ? "" : ", ", gflops,
                        counted(threads, "thread"));
  }
  return text;
}

std::string about(const Plan& plan, const Report& report) {
  std::string text = report.processor;
  if (plan.on_cpu()) {
    text += fmt::format(", {}, threads {}; measured peak: {}", instruction_set(), plan.threads,
                        peaks(report));
  }
  text += fmt::format("\nbatch {}, units {}, inputs {}{}; median of rounds: {}\n",
                      fmt::join(plan.batches, ","), fmt::join(plan.units, ","), plan.inputs,
                      plan.on_cpu() ? " (stream: batch 1, one thread)" : "", plan.rounds);
  text +=
      "time/rwa, time/lstm: relative to rwa's own RWA and LSTM, same mode and size; above 1 is "
      "slower\n";
  if (plan.on_cpu()) return text;
  return text +
         "time/cudnn: relative to cuDNN's fastest fp32 LSTM\n"
         "rwa's cells: what a caller waits for, copies from the host included; train is forward, "
         "backward and Adam\n"
         "peers: the batch is already on the GPU; train is forward and backward, no optimiser\n";
}

nlohmann::ordered_json object(const Row& row) {
  const Case& what = row.what;
  nlohmann::ordered_json json{
      {"name", what.name},           {"device", what.device},   {"mode", to_string(what.mode)},
      {"batch", what.batch},         {"units", what.units},     {"inputs", what.inputs},
      {"steps", what.steps},         {"threads", what.threads}, {"us_per_step", row.us_per_step},
      {"us_min", row.us_min},        {"us_max", row.us_max},    {"gflops", row.gflops},
      {"peak_bytes", row.peak_bytes}};
  if (row.peak_fraction) json["peak_fraction"] = *row.peak_fraction;
  if (!what.variant.empty()) json["variant"] = what.variant;
  if (what.mode == Mode::kTrain && !what.peer) json["memory"] = to_string(what.memory);
  if (!what.peer) json["network"] = to_string(what.network);
  if (what.ragged) json["ragged"] = true;
  return json;
}

}  // namespace

std::string to_text(const Plan& plan, const Report& report) {
  const std::vector<Column> columns = make_columns(plan, report);
  std::vector<Line> lines(report.rows.size() + 1);
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    lines[0].push_back(column.heading);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      lines[i + 1].push_back(column.cell(report.rows[i]));
    }
    std::size_t widest = 0;
    for (const Line& cells : lines) widest = std::max(widest, width(cells.back()));
    widths.push_back(widest);
  }
  std::string text = about(plan, report) + "\n" + aligned(columns, lines[0], widths);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    if (i > 0 && !comparable(report.rows[i - 1], report.rows[i])) text += "\n";
    text += aligned(columns, lines[i + 1], widths);
  }
  if (report.floors) text += "\n" + to_text(*report.floors);
  if (!report.left_out.empty()) text += "\nleft out: " + report.left_out + "\n";
  return text;
}

std::string to_json(const Report& report) {
  std::string text;
  for (const Row& row : report.rows) text += (text.empty() ? "" : ",\n") + object(row).dump();
  return "[\n" + text + "\n]\n";
}

void require_writable(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    throw ResourceError(fmt::format("{}: cannot be replaced: not a regular file", file.string()));
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw ResourceError(fmt::format("{}: cannot write into its folder: {}", file.string(),
                                    std::generic_category().message(errno)));
  }
}

void write_file(const fs::path& file, const std::string& text) {
  io::replace_file(file, std::as_bytes(std::span(text)));
}

}  // namespace rwa::bench
