// src/report/assets.h: the files that a page carries within it. The build makes them part of the
// program: page.css and page.js from here, the charts' library as Debian ships it.
#pragma once

#include <string_view>

namespace rwa::report::assets {

extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kDygraphJs;
extern const std::string_view kDygraphCss;

}  // namespace rwa::report::assets
