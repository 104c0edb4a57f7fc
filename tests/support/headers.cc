// tests/support/headers.cc: nothing of its own; the headers of tests are precompiled with it.
