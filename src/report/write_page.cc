#include "report/write_page.h"

#include "io/replace_file.h"

namespace rwa::report {

void write_page(const Page& page, const std::filesystem::path& file) {
  io::replace_text(file, to_html(page));
}

}  // namespace rwa::report
