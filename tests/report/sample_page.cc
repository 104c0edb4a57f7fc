// tests/report/sample_page.cc: prints the sample page for browser_test.py.
#include "sample_page.h"

#include <cstdio>

int main() {
  const std::string html = rwa::report::to_html(rwa::report::sample_page());
  return std::fwrite(html.data(), 1, html.size(), stdout) == html.size() ? 0 : 1;
}
