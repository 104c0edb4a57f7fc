// src/formats/npz.cc: .npz, a zip archive of .npy files, read with libzip. Only members of known
// names are decompressed, and only as many bytes as their headers announce.
#include <fmt/format.h>
#include <zip.h>

#include <array>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "formats/array.h"
#include "formats/array_answers.h"
#include "formats/array_reader.h"
#include "formats/formats.h"
#include "formats/match.h"
#include "io/quote.h"
#include "io/read_file.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
constexpr std::string_view kEnding = ".npy";

// An open member of the archive. Several may be open at once.
struct Member {
  std::shared_ptr<zip_t> archive;
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file;
};

class Archive {
 public:
  explicit Archive(const std::filesystem::path& path);

  // Opens the first of these names that exists.
  std::optional<Array> find(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::string names() const;

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw InputError(name_ + ": " + fmt::format(text, std::forward<Args>(args)...));
  }

  void open(const std::filesystem::path& path);
  void add(zip_uint64_t index);
  void check_method(zip_uint64_t index, std::string_view name) const;
  [[nodiscard]] NextBytes bytes(zip_uint64_t index, const std::string& name) const;

  std::string name_;
  std::shared_ptr<zip_t> zip_;
  std::map<std::string, zip_uint64_t, std::less<>> indices_;
};

// libzip needs a seekable file.
void check_seekable(const std::filesystem::path& path, const std::string& name) {
  if (path == "-") {
    throw InputError(
        fmt::format("{}: found an .npz in a stream, expected the path of a file", name));
  }
  io::InputFile file(path);
  std::array<char, 2> magic{};
  if (file.size() >= magic.size()) file.read(std::as_writable_bytes(std::span(magic)));
  if (std::string_view(magic.data(), magic.size()) != "PK") {
    throw InputError(fmt::format(
        "{}: does not begin with \"PK\", expected an .npz file that is not compressed again",
        name));
  }
}

Archive::Archive(const std::filesystem::path& path) : name_(path.string()) {
  check_seekable(path, name_);
  open(path);
  const zip_int64_t count = ::zip_get_num_entries(zip_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) add(static_cast<zip_uint64_t>(i));
}

void Archive::open(const std::filesystem::path& path) {
  int code = 0;
  zip_ = {::zip_open(path.c_str(), ZIP_RDONLY, &code), &::zip_discard};
  if (zip_ != nullptr) return;
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
  zip_error_t error;
  ::zip_error_init_with_code(&error, code);
  const std::string text = ::zip_error_strerror(&error);
  ::zip_error_fini(&error);
  fail("is a damaged .npz, libzip says: {}", io::escape(text));
}

void Archive::add(zip_uint64_t index) {
  const char* found = ::zip_get_name(zip_.get(), index, ZIP_FL_ENC_RAW);
  const std::string name = found == nullptr ? "" : found;
  if (name.empty() || name.starts_with('/') ||
      ("/" + name + "/").find("/../") != std::string::npos) {
    fail("has a member called {}, expected a relative name without ..", io::quote(name));
  }
  if (!indices_.emplace(name, index).second) {
    fail("has {} twice, expected it once", io::quote(name));
  }
}

std::optional<Array> Archive::find(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto place = indices_.find(std::string(name) + std::string(kEnding));
    if (place == indices_.end()) continue;
    check_method(place->second, place->first);
    const std::string whole = fmt::format("{}:{}", name_, place->first);
    return parse_npy(whole, bytes(place->second, whole));
  }
  return {};
}

void Archive::check_method(zip_uint64_t index, std::string_view name) const {
  zip_stat_t stat;
  ::zip_stat_init(&stat);
  if (::zip_stat_index(zip_.get(), index, 0, &stat) != 0) {
    fail("has a damaged member {}, libzip says: {}", name, ::zip_strerror(zip_.get()));
  }
  if (stat.encryption_method != ZIP_EM_NONE) {
    fail("has an encrypted {}, expected it as np.savez writes it", name);
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    fail("has {} compressed with zip method {}, expected 0 (stored) or 8 (deflated)", name,
         stat.comp_method);
  }
}

NextBytes Archive::bytes(zip_uint64_t index, const std::string& name) const {
  auto member = std::make_shared<Member>(
      Member{zip_, {::zip_fopen_index(zip_.get(), index, 0), &::zip_fclose}});
  if (member->file == nullptr) {
    fail("cannot be opened, libzip says: {}", ::zip_strerror(zip_.get()));
  }
  return [member, name](std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size()) {
      const zip_int64_t count = ::zip_fread(member->file.get(), &to[done], to.size() - done);
      if (count < 0) {
        throw InputError(fmt::format("{}: is damaged, libzip says: {}", name,
                                     ::zip_file_strerror(member->file.get())));
      }
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  };
}

std::string Archive::names() const {
  std::string text;
  for (const auto& [name, index] : indices_) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : io::escape(text);
}
}  // namespace

std::unique_ptr<Reader> open_npz(std::unique_ptr<Source> source, const Options& options,
                                 SharedVocabulary vocabulary) {
  const std::filesystem::path path = source->path();
  const std::string name = source->name();
  source.reset();
  const Archive archive(path);
  std::optional<Array> lengths = archive.find({"lengths"});
  std::optional<Array> offsets = archive.find({"offsets"});
  std::optional<Array> x = archive.find({"x", "X"});
  if (!x && offsets) x = archive.find({"values"});
  if (!x || (lengths && offsets)) {
    throw InputError(
        fmt::format("{}: has {}, expected x.npy (optionally y.npy, lengths.npy), or values.npy and "
                    "offsets.npy (optionally y.npy), as np.savez(file, x=x, y=y) writes them",
                    name, archive.names()));
  }
  const bool own_labels = options.label_from.empty() && requested_target(options) != Target::kNone;
  Arrays arrays{.format = Format::kNpz,
                .file = name,
                .x = std::move(*x),
                .y = own_labels ? archive.find({"y", "Y"}) : labels_of(path, options),
                .lengths = std::move(lengths),
                .offsets = std::move(offsets),
                .stored = stored_bytes(path)};
  return read_arrays(std::move(arrays), options, std::move(vocabulary));
}

}  // namespace rwa::formats
