// src/training/toml.h: toml++, compiled once, in toml.cc. To be included in place of <toml++/toml.h>.
#pragma once

#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>
