// include/rwa/rwa.h: includes all C++ headers of the library.
#pragma once

#include "rwa/cells.h"
#include "rwa/device.h"
#include "rwa/errors.h"
#include "rwa/layer.h"
#include "rwa/link.h"
#include "rwa/model.h"
#include "rwa/trainer.h"
#include "rwa/types.h"
#include "rwa/version.h"
