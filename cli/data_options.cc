#include "data_options.h"

namespace rwa::cli {

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
                      const std::string& description) {
  return command.add_option(name, list, description)
      ->option_text("NAME[,NAME...]")
      ->delimiter(',')
      ->allow_extra_args(false);
}

CLI::Option* add_data(CLI::App& command, datasets::FilesTask& task,
                      const std::string& description) {
  auto* data = command.add_option("DATA", task.train, description)->required();
  constexpr const char* kGroup = "How the files are read (each is guessed where it is not said)";
  const auto add = [&](const char* name, std::string& text, const char* what) {
    command.add_option(name, text, what)->group(kGroup);
  };
  add("--format", task.format, "table, ts, jsonl, fasta, fastq, text, npy, npz or idx");
  add("--layout", task.layout,
      "Of a table: long (a row is a step) or wide (a row is a sequence); of an array: ntc, nct or "
      "tnc (case, time, channel)");
  add("--task", task.task,
      "class, labels (several), numbers, class-per-step, numbers-per-step or forecast");
  add_list(command, "--target", task.target, "The column with the answers")->group(kGroup);
  add_list(command, "--features", task.features, "The columns with the numbers of a step")
      ->group(kGroup);
  add("--id", task.id, "The column that says which sequence a row belongs to");
  add("--time", task.time, "The column with times: in order, and not a feature");
  add("--label-from", task.label_from,
      "file, folder, header, header:N, or a table of ids and labels");
  return data;
}

void add_preparation(CLI::App& command, datasets::FilesTask& task) {
  constexpr const char* kGroup = "What becomes of them";
  command.add_option("--kmer", task.kmer, "So many letters, overlapping, are one symbol (1)")
      ->group(kGroup);
  command
      .add_option("--context", task.context,
                  "Each step is seen together with those before it, so many in all (1)")
      ->group(kGroup);
  command
      .add_option("--positions", task.positions,
                  "So many numbers say where in its sequence a step stands (0)")
      ->group(kGroup);
  command
      .add_option("--missing", task.missing,
                  "Missing numbers: refuse (default), previous (the step before) or mean")
      ->group(kGroup);
  command.add_option("--window", task.window, "Cut sequences into pieces of so many steps")
      ->group(kGroup);
  command
      .add_option("--stride", task.stride, "From one piece's beginning to the next's (--window)")
      ->group(kGroup);
}

}  // namespace rwa::cli
