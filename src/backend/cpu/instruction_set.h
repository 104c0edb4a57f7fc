// src/backend/cpu/instruction_set.h: which of the compiled instruction sets runs.
#pragma once

#include <string>

namespace rwa::cpu {

// Obeys RWA_CPU, once per process. Throws ConfigError for a name that is unknown or that this
// machine lacks.
void choose_instruction_set();

std::string instruction_set();

}  // namespace rwa::cpu
