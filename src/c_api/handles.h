// src/c_api/handles.h: what stands behind the handles that several files share.
#pragma once

#include "rwa/c_api.h"
#include "rwa/model.h"

struct rwa_model {
  rwa::Model model;
};
