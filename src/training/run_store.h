// src/training/run_store.h: where a run stores its results and the state to resume from: a folder
// (run_folder.h) or memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/descriptor.h"
#include "io/folder.h"
#include "io/safetensors.h"
#include "rwa/model.h"
#include "training/checkpoint.h"
#include "training/experiment.h"
#include "training/metrics.h"
#include "training/run_file.h"
#include "training/run_folder.h"

namespace rwa::training {

// Reads the checkpoint in a run folder. Throws ModelFileError if it is corrupted or from another
// experiment, InputError unless the metrics that it covers are those in the folder.
Checkpoint read_checkpoint_of(const Experiment& experiment, const std::filesystem::path& folder);

// What a run finds in its store.
struct Found {
  bool configured = false;  // the store has exactly this experiment
  bool finished = false;
  std::optional<Checkpoint> checkpoint;  // to resume from
};

// Receives the metrics of a run.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  virtual void append(const Metric& metric) = 0;
  // Makes all metrics durable.
  virtual MetricsExtent sync() = 0;
};

// The store of one run at a time. All members throw ResourceError if a system call fails.
class RunStore {
 public:
  virtual ~RunStore() = default;

  [[nodiscard]] virtual std::string name() const = 0;  // for messages

  // Changes nothing. Throws ConfigError if the store has another experiment (listing the
  // differences) or no run, has more steps than requested, or has a model that a new start would
  // replace; ModelFileError, InputError and ResourceError for files that are corrupted or
  // unreadable. A run that ended by its time budget is not finished if the new budget is larger.
  [[nodiscard]] virtual Found inspect(const Experiment& experiment,
                                      const std::optional<double>& time_budget) const = 0;
  // Locks the store until the result is destroyed. Waits for a process that was just told to stop,
  // and throws ConfigError if it goes on.
  [[nodiscard]] virtual std::optional<io::Descriptor> lock() = 0;

  virtual void set_experiment(const Experiment& experiment) = 0;
  // Keeps the metrics up to `size`, as sync() returned it, and appends to them. The store must outlive
  // the sink.
  [[nodiscard]] virtual std::unique_ptr<MetricsSink> begin_metrics(std::int64_t size) = 0;
  virtual void save_checkpoint(const io::TensorFile& content) = 0;
  virtual void save_model(const Model& model) = 0;
  virtual void set_progress(const Experiment& experiment, const RunFile& content) = 0;

  // The run as a reader finds it, and its final model. model() throws ResourceError if there is
  // none.
  [[nodiscard]] virtual Record record() const = 0;
  [[nodiscard]] virtual Model model() const = 0;
};

// If a process dies, the next one resumes from its last checkpoint.
class FolderStore final : public RunStore {
 public:
  explicit FolderStore(std::filesystem::path folder)
      : folder_(std::move(folder)), existing_(io::existing_part(folder_)) {}
  FolderStore(const FolderStore&) = delete;
  FolderStore& operator=(const FolderStore&) = delete;
  // A run whose first file could not be written leaves no folder.
  ~FolderStore() override {
    if (created_) io::remove_empty_folders(folder_, existing_);
  }

  [[nodiscard]] std::string name() const override { return folder_.string(); }
  [[nodiscard]] Found inspect(const Experiment& experiment,
                              const std::optional<double>& time_budget) const override;
  [[nodiscard]] std::optional<io::Descriptor> lock() override;
  void set_experiment(const Experiment& experiment) override;
  [[nodiscard]] std::unique_ptr<MetricsSink> begin_metrics(std::int64_t size) override;
  void save_checkpoint(const io::TensorFile& content) override;
  void save_model(const Model& model) override { model.save(file(kModelFile)); }
  void set_progress(const Experiment& experiment, const RunFile& content) override {
    write_run_file(file(kRunFile), experiment, content);
  }
  [[nodiscard]] Record record() const override { return read_run(folder_); }
  [[nodiscard]] Model model() const override { return Model::load(file(kModelFile)); }

 private:
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return folder_ / name; }

  std::filesystem::path folder_;
  std::filesystem::path existing_;  // the part of the path that existed before
  bool created_ = false;
};

// Keeps everything in memory and writes nothing to disk.
class MemoryStore final : public RunStore {
 public:
  [[nodiscard]] std::string name() const override { return "the training"; }
  [[nodiscard]] Found inspect(const Experiment& experiment,
                              const std::optional<double>& time_budget) const override;
  [[nodiscard]] std::optional<io::Descriptor> lock() override { return std::nullopt; }
  void set_experiment(const Experiment& experiment) override { record_.experiment = experiment; }
  [[nodiscard]] std::unique_ptr<MetricsSink> begin_metrics(std::int64_t size) override;
  void save_checkpoint(const io::TensorFile& content) override { checkpoint_ = content; }
  void save_model(const Model& model) override { model_ = copy_of(model); }
  void set_progress(const Experiment& experiment, const RunFile& content) override;
  [[nodiscard]] Record record() const override { return record_; }
  [[nodiscard]] Model model() const override;

 private:
  static Model copy_of(const Model& model);

  Record record_;
  bool begun_ = false;
  RunSummary summary_;
  std::optional<io::TensorFile> checkpoint_;
  std::optional<Model> model_;
};

}  // namespace rwa::training
