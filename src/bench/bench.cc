// src/bench/bench.cc: measures all rows in turn, several times. A load spike then disturbs every
// row a little instead of one row a lot.
#include "bench/bench.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "backend/device.h"
#include "bench/device.h"
#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/processes.h"
#include "rwa/errors.h"

namespace rwa::bench {
namespace {

constexpr double kPeakSeconds = 0.2;

struct Entry {
  Case what;
  std::vector<Sample> samples;
  bool failed = false;
};

class Bench {
 public:
  Bench(const Plan& plan, const std::function<void(const std::string&)>& say)
      : plan_(plan),
        say_(say),
        processor_(describe_device(plan.device)),
        peers_(plan.peer_limit, say) {
    for (Case& what : cases(plan)) entries_.push_back({std::move(what), {}, false});
  }

  Report run() {
    for (int round = 1; round <= plan_.rounds; ++round) {
      measure_peaks();
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        // What failed once would fail again.
        if (!entries_[i].failed) measure_entry(round, i);
      }
    }
    measure_peaks();
    if (!plan_.on_cpu()) floors_ = measure_floors(plan_.device, plan_.peer_limit, say_);
    return report();
  }

 private:
  // Keeps the largest of all tries: a peak lowered by a load spike would flatter every row.
  void measure_peaks() {
    if (!plan_.on_cpu()) return;
    std::set<int> threads;
    for (const Entry& entry : entries_) threads.insert(entry.what.threads);
    for (const int count : threads) {
      const Outcome outcome = run_child([&] {
        fmt::print("{}", cpu_peak_flops(count, std::min(kPeakSeconds, plan_.seconds)));
        return 0;
      });
      if (!outcome.succeeded()) {
        throw ResourceError(
            fmt::format("cannot measure the peak (threads: {}): {}", count, outcome.failure()));
      }
      double& peak = peak_gflops_[count];
      peak = std::max(peak, std::stod(outcome.out) / 1e9);
    }
  }

  void measure_entry(int round, std::size_t index) {
    Entry& entry = entries_[index];
    const double seconds = plan_.seconds / plan_.rounds;
    const auto sample =
        entry.what.peer ? peers_.measure(entry.what, seconds) : measure_own(entry.what, seconds);
    if (!sample) {
      entry.failed = true;
      return;
    }
    entry.samples.push_back(*sample);
    say_(fmt::format("round {} of {}, {} of {}: {}: {:.2f} µs/step", round, plan_.rounds, index + 1,
                     entries_.size(), describe(entry.what), sample->us_per_step));
  }

  std::optional<Sample> measure_own(const Case& what, double seconds) {
    const Outcome outcome = run_child([&] {
      fmt::print("{}", to_line(measure(what, seconds)));
      return 0;
    });
    const auto sample = outcome.succeeded() ? parse_sample(outcome.out) : std::nullopt;
    if (!sample) {
      say_(fmt::format("{}: failed: {}", describe(what), outcome.failure()));
    }
    return sample;
  }

  [[nodiscard]] Report report() const;

  const Plan& plan_;
  const std::function<void(const std::string&)>& say_;
  std::string processor_;
  Peers peers_;
  std::vector<Entry> entries_;
  std::map<int, double> peak_gflops_;
  std::optional<Floors> floors_;
};

// For an even count, the mean of the middle two.
double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Row summarize(const Entry& entry, const std::map<int, double>& peak_gflops) {
  Row row;
  row.what = entry.what;
  std::vector<double> times;
  for (const Sample& sample : entry.samples) {
    times.push_back(sample.us_per_step);
    row.peak_bytes = std::max(row.peak_bytes, sample.peak_bytes);
  }
  row.us_per_step = median(times);
  row.us_min = std::ranges::min(times);
  row.us_max = std::ranges::max(times);
  row.gflops = flops_per_step(entry.what) / row.us_per_step / 1e3;
  const auto peak = peak_gflops.find(entry.what.threads);
  if (peak != peak_gflops.end()) row.peak_fraction = row.gflops / peak->second;
  return row;
}

Report Bench::report() const {
  Report report;
  report.processor = processor_;
  report.peak_gflops = peak_gflops_;
  report.floors = floors_;
  report.left_out = peers_.left_out();
  for (const Entry& entry : entries_) {
    if (!entry.failed) {
      report.rows.push_back(summarize(entry, peak_gflops_));
    } else if (!entry.what.peer) {
      ++report.failed;
    }
  }
  return report;
}

}  // namespace

Report run(const Plan& plan, const std::function<void(const std::string&)>& say) {
  check(plan);
  return Bench(plan, say).run();
}

}  // namespace rwa::bench
