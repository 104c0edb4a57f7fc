// src/cells/list-inl.h: the list of cells, one line each. A cell's position is its value in
// rwa::Cell.
// clang-format off
#include "cells/rwa-inl.h"
#include "cells/rwa_forget-inl.h"
#include "cells/rwa_decay-inl.h"
#include "cells/lstm-inl.h"
#include "cells/gru-inl.h"
// clang-format on
