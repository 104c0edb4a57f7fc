// src/cells/list-inl.h: the list of cells, a line for each; where a cell stands in it is its value
// of rwa::Cell.
// clang-format off
#include "cells/rwa-inl.h"
#include "cells/rwa_forget-inl.h"
#include "cells/rwa_decay-inl.h"
#include "cells/lstm-inl.h"
#include "cells/gru-inl.h"
// clang-format on
