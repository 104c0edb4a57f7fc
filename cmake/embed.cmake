# Sets VARIABLE to the contents of FILE, for a configure_file() that puts it into a source file
# between R"embedded( and )embedded". CMake runs again when FILE changes.
function(rwa_read_text variable file)
  file(READ ${file} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# Sets VARIABLE to the checked-out commit, or to "unknown" outside of a repository. CMake runs again
# after every commit.
function(rwa_read_commit variable)
  set(${variable} unknown PARENT_SCOPE)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/.git)
    return()  # do not use the repository of a project around this one
  endif()
  set(git git -c safe.directory=* -C ${PROJECT_SOURCE_DIR})
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND ${git} rev-parse --path-format=absolute --git-path logs/HEAD OUTPUT_VARIABLE log
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${log}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
  endif()
  if(NOT failed)
    set(${variable} ${commit} PARENT_SCOPE)
  endif()
endfunction()
