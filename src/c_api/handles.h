// src/c_api/handles.h: the definitions of handles that several files use.
#pragma once

#include "rwa/c_api.h"
#include "rwa/model.h"

struct rwa_model {
  rwa::Model model;
};
