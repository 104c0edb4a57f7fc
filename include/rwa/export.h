// include/rwa/export.h: what the shared library shows to the outside; everything else is hidden.
#pragma once

#define RWA_EXPORT __attribute__((visibility("default")))
