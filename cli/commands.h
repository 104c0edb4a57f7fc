// cli/commands.h: the commands of the program. Each function adds a command, its options and its
// help to the parser; NAME_command.cc implements `rwa NAME`.
#pragma once

#include "parser.h"

namespace rwa::cli {

void add_bench_command(const Command& app);
void add_evaluate_command(const Command& app);
void add_explain_command(const Command& app);
void add_export_command(const Command& app);
void add_generate_command(const Command& app);
void add_import_command(const Command& app);
void add_inspect_command(const Command& app);
void add_paper_command(const Command& app);
void add_predict_command(const Command& app);
void add_report_command(const Command& app);
void add_stream_command(const Command& app);
void add_train_command(const Command& app);
void add_tune_command(const Command& app);
void add_verify_command(const Command& app);

}  // namespace rwa::cli
