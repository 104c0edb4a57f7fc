#include "report/write_page.h"

#include <span>
#include <string>

#include "io/replace_file.h"

namespace rwa::report {

void write_page(const Page& page, const std::filesystem::path& file) {
  const std::string html = to_html(page);
  io::replace_file(file, std::as_bytes(std::span(html)));
}

}  // namespace rwa::report
