# Sets RWA_HAS_DOWNLOADS: whether src/paper/curl is built. If not, src/paper/no_curl replaces it.
if(RWA_DOWNLOADS)
  find_package(CURL 7.85 QUIET)  # the first with CURLOPT_PROTOCOLS_STR
endif()
rwa_optional(DOWNLOADS "downloads of `rwa paper data`" "${CURL_FOUND}" "libcurl 7.85 or later")
