// tests/support/headers.cc: empty; carries the precompiled headers of the tests.
