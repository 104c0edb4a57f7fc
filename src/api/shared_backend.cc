#include "api/shared_backend.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "api/model_impl.h"
#include "backend/device.h"
#include "base/shards.h"

namespace rwa {
namespace {
std::shared_ptr<SharedBackend> make(const SessionOptions& options) {
  auto made = std::make_shared<SharedBackend>();
  made->backend = checked_backend(options);
  return made;
}
}  // namespace

std::shared_ptr<SharedBackend> shared_backend(const SessionOptions& options) {
  const bool on_host = is_host(options.device);
  if (on_host && options.threads == 1) return make(options);
  using Key = std::pair<std::string, int>;
  const Key key = {options.device == "cuda" ? "cuda:0" : options.device,
                   on_host ? std::min(options.threads, kShards) : 0};
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<SharedBackend>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  auto shared = found == known.end() ? nullptr : found->second.lock();
  if (shared == nullptr) known[key] = shared = make(options);
  return shared;
}

}  // namespace rwa
