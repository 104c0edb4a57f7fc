// src/training/toml.cc: toml++ 3.3 asserts that a table's name begins with a letter, which a file with
// "[." or "[[[" can break: it would end the program, or, with NDEBUG, go on as if it were so. The
// lines after the assertion report such a file as they should. So the assertions are left out, and
// must not become assumptions.
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_IMPLEMENTATION
#include "training/toml.h"
