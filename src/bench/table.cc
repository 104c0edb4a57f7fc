// src/bench/table.cc: columns as wide as their longest cell; numbers to the right.
#include "bench/table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "io/replace_file.h"
#include "rwa/errors.h"
#include "rwa/version.h"

namespace rwa::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumns = 12;
using Line = std::array<std::string, kColumns>;
constexpr std::size_t kTextColumns = 3;  // the first ones; the others are numbers

Line heading() {
  return {"name",    "mode",    "variant", "steps",  "threads",  "µs/step",
          "min…max", "GFLOP/s", "of peak", "memory", "time/rwa", "time/lstm"};
}

// About four digits: more would be noise.
std::string number(double value) {
  if (value < 10) return fmt::format("{:.2f}", value);
  return value < 1000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

bool comparable(const Row& a, const Row& b) {
  return a.what.mode == b.what.mode && a.what.steps == b.what.steps;
}

// Our plain row of that cell for the same work: whole sequences, and full memory where measured.
const Row* reference(const Report& report, const Row& row, Cell cell) {
  const Row* best = nullptr;
  for (const Row& other : report.rows) {
    const Case& what = other.what;
    if (what.peer || what.ragged || what.cell != cell || !comparable(other, row)) continue;
    if (best == nullptr || what.memory == Memory::kFull) best = &other;
  }
  return best;
}

std::string relative(const Row& row, const Row* to) {
  return to == nullptr ? "" : fmt::format("{:.2f}", row.us_per_step / to->us_per_step);
}

std::string variant(const Case& what) {
  std::string text = what.memory == Memory::kChunked ? "chunked" : "";
  if (what.ragged) text += text.empty() ? "ragged" : ", ragged";
  return text;
}

// One round has none.
std::string spread(const Row& row) {
  return row.us_min < row.us_max ? number(row.us_min) + "…" + number(row.us_max) : "";
}

Line line(const Report& report, const Row& row) {
  const Case& what = row.what;
  return {what.name,
          std::string(to_string(what.mode)),
          variant(what),
          std::to_string(what.steps),
          std::to_string(what.threads),
          number(row.us_per_step),
          spread(row),
          number(row.gflops),
          fmt::format("{:.1f} %", 100 * row.peak_fraction),
          number(static_cast<double>(row.peak_bytes) / 1e6) + " MB",
          relative(row, reference(report, row, Cell::kRwa)),
          what.cell == Cell::kLstm ? relative(row, reference(report, row, Cell::kLstm)) : ""};
}

// Letters, not bytes: those after the first of a UTF-8 letter begin with the bits 10.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string aligned(const Line& cells, const std::array<std::size_t, kColumns>& widths) {
  std::string text;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::string space(widths[i] - width(cells[i]), ' ');
    text += (i == 0 ? "" : "  ") + (i < kTextColumns ? cells[i] + space : space + cells[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string about(const Plan& plan, const Report& report) {
  std::string peaks;
  for (const auto& [threads, gflops] : report.peak_gflops) {
    peaks += fmt::format("{}{:.1f} GFLOP/s with {} thread{}", peaks.empty() ? "" : ", ", gflops,
                         threads, threads == 1 ? "" : "s");
  }
  return fmt::format(
      "{}, {}, threads {}; measured peak: {}\n"
      "batch {}, units {}, inputs {} (stream: batch 1, one thread); median of rounds: {}\n"
      "time/rwa, time/lstm: relative to our own cell, same mode and steps; above 1 is slower\n",
      report.processor, instruction_set(), plan.threads, peaks, plan.batch, plan.units, plan.inputs,
      plan.rounds);
}

nlohmann::ordered_json object(const Row& row) {
  const Case& what = row.what;
  nlohmann::ordered_json json{{"name", what.name},
                              {"device", "cpu"},
                              {"mode", to_string(what.mode)},
                              {"batch", what.batch},
                              {"units", what.units},
                              {"inputs", what.inputs},
                              {"steps", what.steps},
                              {"threads", what.threads},
                              {"us_per_step", row.us_per_step},
                              {"us_min", row.us_min},
                              {"us_max", row.us_max},
                              {"gflops", row.gflops},
                              {"peak_fraction", row.peak_fraction},
                              {"peak_bytes", row.peak_bytes}};
  if (what.mode == Mode::kTrain && !what.peer) json["memory"] = to_string(what.memory);
  if (what.ragged) json["ragged"] = true;
  return json;
}

}  // namespace

std::string to_text(const Plan& plan, const Report& report) {
  std::vector<Line> lines{heading()};
  for (const Row& row : report.rows) lines.push_back(line(report, row));
  std::array<std::size_t, kColumns> widths{};
  for (const Line& cells : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  std::string text = about(plan, report) + "\n" + aligned(lines[0], widths);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    if (i > 0 && !comparable(report.rows[i - 1], report.rows[i])) text += "\n";
    text += aligned(lines[i + 1], widths);
  }
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
    throw ResourceError(
        fmt::format("{}: cannot be replaced, since it is no regular file", file.string()));
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
