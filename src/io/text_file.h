// src/io/text_file.h: small files, read and replaced as a whole.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "io/read_file.h"
#include "io/replace_file.h"

namespace rwa::io {

inline std::string read_text(const std::filesystem::path& file) {
  InputFile input(file);
  std::string text(input.size(), '\0');
  input.read(std::as_writable_bytes(std::span(text)));
  return text;
}

inline void replace_text(const std::filesystem::path& file, std::string_view text) {
  replace_file(file, std::as_bytes(std::span(text)));
}

}  // namespace rwa::io
