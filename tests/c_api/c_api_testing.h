// tests/c_api/c_api_testing.h: owning handles, and checks of results and messages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rwa/c_api.h"

namespace rwa::c_api {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* handle) const {
    free(handle);
  }
};
using ModelHandle = std::unique_ptr<rwa_model, Free<rwa_model_free>>;
using SessionHandle = std::unique_ptr<rwa_session, Free<rwa_session_free>>;
using StreamHandle = std::unique_ptr<rwa_stream, Free<rwa_stream_free>>;
using TrainerHandle = std::unique_ptr<rwa_trainer, Free<rwa_trainer_free>>;
using BufferHandle = std::unique_ptr<rwa_buffer, Free<rwa_buffer_free>>;

inline void expect_ok(rwa_result result) { ASSERT_EQ(result, RWA_OK) << rwa_last_error(); }

// Returns the handle that `make` writes to its last argument.
template <class Handle, class Make, class... Args>
Handle made(Make make, Args... args) {
  typename Handle::pointer handle = nullptr;
  expect_ok(make(args..., &handle));
  return Handle(handle);
}

inline ModelHandle new_model(const char* config) {
  return made<ModelHandle>(rwa_model_new, config);
}

// Expects the call to fail with this result and a message that contains all of these words.
inline void expect_failure(rwa_result found, rwa_result expected,
                           const std::vector<std::string>& words) {
  EXPECT_EQ(found, expected) << rwa_last_error();
  const std::string text = rwa_last_error();
  for (const auto& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

}  // namespace rwa::c_api
