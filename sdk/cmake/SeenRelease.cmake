# A release is fast where every message passes, and small everywhere else.
option(SEEN_UNWIND
  "Keep unwind tables in a release, for stacks that are taken on the device"
  OFF)

get_property(layers GLOBAL PROPERTY SEEN_LAYERS)
list(TRANSFORM layers PREPEND seen_)

if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC)
  set(small $<$<CONFIG:Release>:-Os>)
  foreach(layer ${layers})
    if(NOT layer MATCHES "^seen_(base|model|engine)$")
      target_compile_options(${layer} PRIVATE ${small})
    endif()
    if(NOT SEEN_UNWIND)
      target_compile_options(${layer} PRIVATE
        $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables>)
    endif()
  endforeach()
  set_source_files_properties(
    src/base/fail.c src/base/json.c src/base/log.c src/base/text.c
    src/base/utf8.c
    TARGET_DIRECTORY seen_base PROPERTIES COMPILE_OPTIONS ${small})
  set_source_files_properties(src/model/names.c src/model/options.c
    TARGET_DIRECTORY seen_model PROPERTIES COMPILE_OPTIONS ${small})
  # What every row that is written passes.
  set(fast $<$<CONFIG:Release>:-O2>)
  set_source_files_properties(src/client/mirror.c src/client/written.c
    TARGET_DIRECTORY seen_client PROPERTIES COMPILE_OPTIONS ${fast})
  set_source_files_properties(
    src/store/bytes.c src/store/pack.c src/store/write.c
    TARGET_DIRECTORY seen_store PROPERTIES COMPILE_OPTIONS ${fast})
  set_source_files_properties(
    src/engine/explain.c src/engine/found.c src/engine/membership.c
    src/engine/settings.c src/engine/subscriptions.c src/engine/working.c
    TARGET_DIRECTORY seen_engine PROPERTIES COMPILE_OPTIONS ${small})
endif()

# What it exports it calls itself without a detour; no host can put its own in
# between. Where symbols have two levels this is so anyway.
if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
  target_link_options(seen PRIVATE -Wl,-Bsymbolic-functions)
endif()

# It is optimised across its layers; not a static library, which any compiler
# is to link, nor where tests look into the objects.
if(CMAKE_BUILD_TYPE STREQUAL Release AND BUILD_SHARED_LIBS
   AND NOT SEEN_BUILD_TESTS)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT across_layers OUTPUT why_not LANGUAGES C)
  set_target_properties(seen seen_static ${layers} PROPERTIES
    INTERPROCEDURAL_OPTIMIZATION ${across_layers})
endif()
