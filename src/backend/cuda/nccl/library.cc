#include "backend/cuda/nccl/library.h"

#include <dlfcn.h>

#include <optional>

namespace rwa::cuda::nccl {
namespace {

std::optional<Library> load() {
  void* const file = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return {};
  bool complete = true;
  const auto find = [&]<class Function>(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(file, name));
    complete = complete && function != nullptr;
  };
  Library found{};
  find("ncclGetUniqueId", found.get_unique_id);
  find("ncclCommInitRankConfig", found.init);
  find("ncclCommGetAsyncError", found.get_state);
  find("ncclCommFinalize", found.finalize);
  find("ncclCommDestroy", found.destroy);
  find("ncclCommAbort", found.abort);
  find("ncclGroupStart", found.start_group);
  find("ncclGroupEnd", found.end_group);
  find("ncclAllReduce", found.all_reduce);
  find("ncclGetErrorString", found.error_string);
  find("ncclGetLastError", found.last_error);
  if (complete) return found;
  (void)dlclose(file);
  return {};
}

}  // namespace

const Library* library() {
  static const std::optional<Library> loaded = load();
  return loaded.has_value() ? &*loaded : nullptr;
}

}  // namespace rwa::cuda::nccl
