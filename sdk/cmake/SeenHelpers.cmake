# The small vocabulary that the folders' CMakeLists.txt are written in.

# Language, warnings and sanitizers of everything that is compiled here. Nothing
# of it reaches a project that links the library.
function(seen_compile TARGET)
  set_target_properties(${TARGET} PROPERTIES
    C_STANDARD 11
    C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
  # Texts for people are cut by snprintf on purpose; whether gcc sees it depends
  # on what it inlines.
  if(PROJECT_IS_TOP_LEVEL OR SEEN_WERROR)
    target_compile_options(${TARGET} PRIVATE
      -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
      $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>
      $<$<BOOL:${SEEN_WERROR}>:-Werror>)
  endif()
  if(SEEN_SANITIZE)
    target_compile_options(${TARGET} PRIVATE
      -fsanitize=${SEEN_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${TARGET} PRIVATE -fsanitize=${SEEN_SANITIZE})
  endif()
  if(SEEN_FUZZ)
    target_compile_options(${TARGET} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# seen_layer(NAME SOURCES…): one floor of the library, compiled once and part of
# both forms of it.
function(seen_layer NAME)
  add_library(seen_${NAME} OBJECT ${ARGN})
  seen_compile(seen_${NAME})
  target_include_directories(seen_${NAME} PRIVATE
    ${PROJECT_SOURCE_DIR}/sdk/include ${PROJECT_SOURCE_DIR}/sdk/src)
  target_compile_definitions(seen_${NAME} PRIVATE
    $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,SEEN_BUILDING,SEEN_STATIC>)
  foreach(library seen seen_static)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:seen_${NAME}>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY SEEN_LAYERS ${NAME})
endfunction()

# seen_sample(NAME SOURCES…): a program on the public headers.
function(seen_sample NAME)
  add_executable(${NAME} ${ARGN})
  seen_compile(${NAME})
  target_link_libraries(${NAME} PRIVATE seen::seen)
endfunction()

# seen_test_support(SOURCES…): what test programs share, and their libraries.
function(seen_test_support)
  add_library(seen_support STATIC ${ARGN})
  seen_compile(seen_support)
  target_include_directories(seen_support PUBLIC
    ${PROJECT_SOURCE_DIR}/sdk/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(seen_support PUBLIC
    SEEN_ROOT="${PROJECT_SOURCE_DIR}")
  target_link_libraries(seen_support PUBLIC seen_static cmocka::cmocka)
endfunction()

# seen_test(NAME SOURCES…): a cmocka program. It links the static library, so
# that it reaches symbols that are not exported.
function(seen_test NAME)
  add_executable(${NAME} ${ARGN})
  seen_test_compile(${NAME})
  add_test(NAME ${NAME}
           COMMAND ${SEEN_TEST_LAUNCHER} $<TARGET_FILE:${NAME}>)
  set_tests_properties(${NAME} PROPERTIES
    LABELS ${SEEN_SUITE}
    ENVIRONMENT CMOCKA_MESSAGE_OUTPUT=TAP)
endfunction()

# seen_script(NAME COMMAND…): a test that is no program of ours. It prints TAP,
# or nothing but its complaints and counts as one.
function(seen_script NAME)
  add_test(NAME ${NAME} COMMAND ${ARGN} COMMAND_EXPAND_LISTS)
  set_tests_properties(${NAME} PROPERTIES LABELS ${SEEN_SUITE})
endfunction()

# seen_bench(NAME SOURCES…): a benchmark, with what is internal in reach; linked
# as the library is, since its objects may be of a kind that only that takes.
function(seen_bench NAME)
  add_executable(${NAME} ${ARGN})
  seen_compile(${NAME})
  get_target_property(across_layers seen INTERPROCEDURAL_OPTIMIZATION)
  set_target_properties(${NAME} PROPERTIES
    INTERPROCEDURAL_OPTIMIZATION "${across_layers}")
  target_include_directories(${NAME} PRIVATE
    ${PROJECT_SOURCE_DIR}/sdk/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${NAME} PRIVATE seen_static)
  add_test(NAME ${NAME} COMMAND ${NAME})
  set_tests_properties(${NAME} PROPERTIES LABELS bench RUN_SERIAL ON)
endfunction()

# What test programs and libraries of tests are compiled with.
function(seen_test_compile TARGET)
  seen_compile(${TARGET})
  target_link_libraries(${TARGET} PRIVATE seen_support)
endfunction()
