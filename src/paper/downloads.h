// src/paper/downloads.h: fetches the files the paper's experiments need from elsewhere: MNIST, and
// the authors' logs. Only when asked for, over TLS, and kept only when the SHA-256 is right.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace rwa::paper {

// Lines for people: what is being fetched, what is there already.
using Say = std::function<void(const std::string&)>;

// Download into `folder` (mnist/ and curves/ of the cache by default). Files that are there and
// right are left alone; one that is there and wrong is named in an InputError and not overwritten.
// A transfer that broke off goes on where it stopped; mirrors are tried in turn, those of
// $RWA_MIRROR (https://…, with spaces between them) instead of the usual ones where it is set.
// Throws ResourceError where no mirror answers, InputError where none has the right bytes, and
// ConfigError for an RWA_MIRROR that is not https.
void download_mnist(const std::filesystem::path& folder, const Say& say);
void download_curves(const std::filesystem::path& folder, const Say& say);

}  // namespace rwa::paper
