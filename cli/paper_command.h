// cli/paper_command.h: the commands of `rwa paper`, one file each.
#pragma once

#include "parser.h"

namespace rwa::cli {

void add_paper_list(const Command& paper);
void add_paper_run(const Command& paper);
void add_paper_report(const Command& paper);
void add_paper_data(const Command& paper);
void add_paper_results(const Command& paper);
void add_paper_gradients(const Command& paper);

}  // namespace rwa::cli
