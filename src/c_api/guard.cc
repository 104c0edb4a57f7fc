#include "c_api/guard.h"

#include <fmt/format.h>

#include <new>
#include <system_error>

#include "training/run_queue.h"

namespace rwa::c_api {
namespace {
thread_local std::string last_error;
thread_local std::string kept;

rwa_result note(rwa_result result, const char* words) noexcept {
  try {
    last_error = words;
  } catch (...) {
    last_error.clear();  // not enough memory for the message
  }
  return result;
}
}  // namespace

rwa_result failure() noexcept {
  try {
    throw;
  } catch (const training::Interrupted& error) {
    return note(RWA_INTERRUPTED, error.what());
  } catch (const ConfigError& error) {
    return note(RWA_CONFIG_ERROR, error.what());
  } catch (const InputError& error) {
    return note(RWA_INPUT_ERROR, error.what());
  } catch (const ModelFileError& error) {
    return note(RWA_MODEL_FILE_ERROR, error.what());
  } catch (const DivergenceError& error) {
    return note(RWA_DIVERGENCE_ERROR, error.what());
  } catch (const ResourceError& error) {
    return note(RWA_RESOURCE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return note(RWA_RESOURCE_ERROR, "not enough memory");
  } catch (const std::system_error& error) {
    return note(RWA_RESOURCE_ERROR, error.what());
  } catch (const std::exception& error) {
    return note(RWA_INTERNAL_ERROR, error.what());
  } catch (...) {
    return note(RWA_INTERNAL_ERROR, "unknown exception, not a std::exception");
  }
}

const char* keep(std::string text) {
  kept = std::move(text);
  return kept.c_str();
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw InputError(fmt::format("{} is null", name));
}

}  // namespace rwa::c_api

extern "C" const char* rwa_last_error(void) { return rwa::c_api::last_error.c_str(); }
