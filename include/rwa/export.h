// include/rwa/export.h: what the shared library shows to the outside; everything else is hidden.
#pragma once

#define RWA_EXPORT __attribute__((visibility("default")))
#define RWA_HIDDEN __attribute__((visibility("hidden")))  // inside a class that is shown
