// include/rwa/export.h: symbol visibility. The shared library exports only what is marked
// RWA_EXPORT.
#pragma once

#define RWA_EXPORT __attribute__((visibility("default")))
#define RWA_HIDDEN __attribute__((visibility("hidden")))  // for members of an exported class
