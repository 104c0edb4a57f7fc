// cli/commands.h: the commands of the program. Each adds itself, its options and its help to the
// parser; NAME_command.cc has the command `rwa NAME`.
#pragma once

namespace CLI {
class App;
}

namespace rwa::cli {

void add_bench_command(CLI::App& app);
void add_evaluate_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_generate_command(CLI::App& app);
void add_import_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_paper_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_stream_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_verify_command(CLI::App& app);

}  // namespace rwa::cli
