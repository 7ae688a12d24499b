# The installed package: headers, library, find_package(Seen) and seen.pc.
include(CMakePackageConfigHelpers)

set(SEEN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Seen)

install(TARGETS seen EXPORT SeenTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sdk/include/seen
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h)
install(EXPORT SeenTargets NAMESPACE seen:: DESTINATION ${SEEN_CMAKE_DIR})

# The shared library brings along by itself what it stands on; whoever links the
# static one has to be told.
if(BUILD_SHARED_LIBS)
  set(SEEN_PC_REQUIRES "")
  set(SEEN_PC_CFLAGS "")
  set(SEEN_PC_LIBS "")
else()
  set(SEEN_PC_REQUIRES "libcjson, sqlite3")
  set(SEEN_PC_CFLAGS " -DSEEN_STATIC")
  set(SEEN_PC_LIBS " -pthread")
  if(SEEN_NET)
    string(APPEND SEEN_PC_REQUIRES ", libwebsockets, libcurl, libcrypto")
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/sdk/cmake/FindcJSON.cmake
          DESTINATION ${SEEN_CMAKE_DIR})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/sdk/cmake/SeenConfig.cmake.in SeenConfig.cmake
  INSTALL_DESTINATION ${SEEN_CMAKE_DIR})
write_basic_package_version_file(SeenConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/SeenConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/SeenConfigVersion.cmake
        DESTINATION ${SEEN_CMAKE_DIR})

file(RELATIVE_PATH SEEN_PC_INCLUDE
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/sdk/cmake/seen.pc.in seen.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/seen.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
