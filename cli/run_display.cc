#include "run_display.h"

#include <utility>

#include <fmt/format.h>

#include "report/table.h"
#include "report/text.h"
#include "say.h"
#include "training/run_folder.h"

namespace rwa::cli {
namespace {

std::vector<ProgressDisplay::Run> to_be_shown(const std::vector<training::QueuedRun>& runs) {
  std::vector<ProgressDisplay::Run> shown;
  shown.reserve(runs.size());
  for (const training::QueuedRun& run : runs) {
    shown.push_back({run.title, run.experiment.training.steps, run.work_of_step});
  }
  return shown;
}

// "accuracy 98.1 %, loss 0.175 bits"; empty if the run has no final score.
std::string final_score(const training::Record& record) {
  const training::Metric* final = training::final_of(record);
  if (final == nullptr) return "";
  const std::string text = "loss " + loss(*final);
  return final->accuracy ? "accuracy " + score(*final) + ", " + text : text;
}

}  // namespace

void RunDisplay::start(const training::RunQueue& queue) {
  queue_ = &queue;
  begun_.assign(queue.runs().size(), 0);
  display_.reset();
  if (queue.leads()) display_.emplace(to_be_shown(queue.runs()), queue.at_a_time());
}

void RunDisplay::begin_round(const workflows::Round& round) {
  display_.reset();
  is_of_folds_ = round.folds > 0;
  say("round {} of {}: {}{}, {} each\n", round.number, round.rounds, is_of_folds_ ? "up to " : "",
      report::counted(round.candidates, "candidate"),
      is_of_folds_ ? report::counted(round.folds, "fold") : duration(round.seconds) + " more");
}

void RunDisplay::scored(const workflows::Candidate& candidate) {
  display_.reset();
  const bool is_whole = candidate.runs.size() == candidate.held_out.size();
  say("  candidate {}: {}\n", candidate.number,
      is_whole ? workflows::expected_score(candidate.runs) : "diverged");
}

std::string RunDisplay::about(std::size_t index) const {
  return queue_->is_serial() ? "  " : queue_->runs()[index].title + ": ";
}

void RunDisplay::begin(std::size_t index, int ranks) {
  const training::QueuedRun& run = queue_->runs()[index];
  display_->begin(index);
  if (is_of_folds_) return;
  display_->say(fmt::format("[{}/{}] {}, {}{}, in {}", index + 1, queue_->runs().size(), run.title,
                            report::counted(run.experiment.training.steps, "training step"),
                            ranks > 1 ? fmt::format(", on {} ranks", ranks) : "",
                            run.store->name()));
}

void RunDisplay::progress(std::size_t index, const training::Progress& progress) {
  if (std::exchange(begun_[index], 1) == 0 && progress.step > 0) {
    display_->say(fmt::format("{}resuming from step {}", about(index), count(progress.step)));
  }
  display_->show(index, progress);
}

std::string RunDisplay::end_in_words(std::size_t index, const training::RunResult& result) const {
  if (!result.divergence.empty()) return result.divergence;
  const training::QueuedRun& run = queue_->runs()[index];
  const std::string last = final_score(run.store->record());
  const std::string scored = last.empty() ? "" : fmt::format(": {} on {}", last, run.scored_on);
  switch (result.outcome) {
    case training::Outcome::kFinished:
      return fmt::format("finished in {}{}", duration(result.seconds), scored);
    case training::Outcome::kAlreadyFinished:
      return "already finished" + scored;
    case training::Outcome::kInterrupted:
      break;
  }
  return {};
}

void RunDisplay::end(std::size_t index, const training::RunResult& result) {
  const std::string words = is_of_folds_ ? "" : end_in_words(index, result);
  if (!words.empty()) display_->say(about(index) + words);
  display_->end(index);
}

void print_remark(const std::vector<workflows::TrainedRun>& runs) {
  const std::string remark = workflows::remark(runs);
  if (!remark.empty()) fmt::print("note: the model is {}\n", remark);
}

void print_refit(const workflows::TrainedRun& run, const std::string& expected, int folds,
                 const std::filesystem::path& out, const std::string& of) {
  if (const auto table = workflows::summary({run}); !table.rows.empty()) {
    fmt::print("Scores on the test data:\n{}", report::to_text(table));
    print_remark({run});
  }
  fmt::print("model: {} ({}trained on all data for {}; expected {}, from {})\nreport: {}\n",
             (out / training::kModelFile).string(), of,
             report::counted(run.store->record().steps, "step"), expected,
             report::counted(folds, "fold"), (out / workflows::kReportFile).string());
}

}  // namespace rwa::cli
