// tests/paper/paper_testing.h: made-up runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "paper/catalogue.h"
#include "paper/evidence.h"
#include "paper/study.h"

namespace rwa::paper {

// Evaluations at steps 0, 100, 200, …
inline std::vector<Point> losses(const std::vector<double>& values) {
  std::vector<Point> points;
  for (const double value : values) {
    points.push_back({static_cast<std::int64_t>(100 * points.size()), value, std::nullopt});
  }
  return points;
}

inline std::vector<Point> accuracies(const std::vector<double>& values) {
  std::vector<Point> points = losses(std::vector<double>(values.size(), 1.0));
  for (std::size_t i = 0; i < values.size(); ++i) points[i].accuracy = values[i];
  return points;
}

// Bad before `step`, good from there to `last`.
inline std::vector<Point> turning(std::int64_t step, std::int64_t last, const Point& bad,
                                  const Point& good) {
  std::vector<Point> points;
  for (std::int64_t at = 0; at <= last; at += 100) {
    points.push_back(at < step ? bad : good);
    points.back().step = at;
  }
  return points;
}

inline Evidence evidence(std::vector<Point> points, double naive_loss = 1) {
  Evidence made;
  made.curve.points = std::move(points);
  made.naive.loss = naive_loss;
  return made;
}

// A finished run, as if read from a folder.
inline training::Record record(const std::string& name, const std::string& variant,
                               const std::string& model, std::uint64_t seed,
                               const std::vector<Point>& points) {
  training::Record run;
  run.experiment = experiment_of(name, variant, model);
  run.experiment.seed = seed;
  run.experiment.training.steps = points.back().step;
  run.folder = "runs/" + name + "/" + model;
  run.status = training::Status::kFinished;
  run.steps = points.back().step;
  run.train_seconds = 0.04 * static_cast<double>(run.steps) * (model == kRwa ? 1 : 2);
  run.parameters = model == kRwa ? 1000 : 2000;
  run.machine = "a machine";
  const std::string unit = name.starts_with("adding") ? "mse" : "bits";
  for (const Point& point : points) {
    run.metrics.push_back({point.step, "train", 9, unit, std::nullopt});
    run.metrics.push_back({point.step, "test", point.loss, unit, point.accuracy});
  }
  const Point& last = points.back();
  run.metrics.push_back({last.step, "final", last.loss, unit, last.accuracy});
  return run;
}

}  // namespace rwa::paper
