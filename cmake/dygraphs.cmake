# Sets DYGRAPHS_DIR: the folder of the chart library that every report page carries.
find_path(DYGRAPHS_DIR dygraph.min.js PATHS /usr/share/javascript PATH_SUFFIXES dygraphs
          DOC "Folder with dygraph.min.js and dygraph.min.css")
foreach(file dygraph.min.js dygraph.min.css)
  if(NOT EXISTS ${DYGRAPHS_DIR}/${file})
    message(FATAL_ERROR "Found no ${file}, which the pages of reports carry. On Debian, install libjs-dygraphs. "
                        "Elsewhere, run `npm pack dygraphs`, unpack the archive, and configure with "
                        "-DDYGRAPHS_DIR=/path/to/package/dist. "
                        "The library alone does not need it: -DRWA_PROGRAM=OFF -DRWA_TESTS=OFF.")
  endif()
endforeach()
