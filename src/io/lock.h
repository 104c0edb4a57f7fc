// src/io/lock.h: locks of files and folders between processes. A lock is held until its descriptor
// and all copies of it are closed, at the latest when the process ends.
#pragma once

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <sys/file.h>
#include <sys/stat.h>

#include "io/descriptor.h"

namespace rwa::io {

// kUnknown: this file system has no locks, or none for descriptors that are open for reading.
enum class Lock { kTaken, kByAnother, kUnknown };

inline Lock take_lock(const Descriptor& file) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return Lock::kTaken;
  return errno == EWOULDBLOCK ? Lock::kByAnother : Lock::kUnknown;
}

// A process that was told to stop has a step and a save to do.
inline constexpr std::chrono::seconds kPatience{3};

// Waits until then for another process.
inline Lock take_lock(const Descriptor& file, std::chrono::steady_clock::time_point end) {
  Lock lock = take_lock(file);
  while (lock == Lock::kByAnother && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    lock = take_lock(file);
  }
  return lock;
}

// Whether a path still is that of the open file, which another process may have replaced.
inline bool is_at(const std::filesystem::path& path, const Descriptor& file) {
  struct stat there {
  }, here{};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(file.get(), &here) == 0 &&
         there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

}  // namespace rwa::io
