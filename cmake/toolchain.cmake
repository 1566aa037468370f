# Warnings, sanitizers, ccache, and the fastest linker that is there.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow
                    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
# g++ 12 reports these inside its own and Boost's headers, wrongly, at -O2.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized -Wno-missing-field-initializers
                      $<$<COMPILE_LANGUAGE:CXX>:-Wno-mismatched-new-delete>)
  # It collects garbage from 128 MB on, which takes it an eighth of its time here and saves 200 MB. Where each of the jobs that
  # ninja starts may have 2 GB, it does not.
  cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR memory_of_job "${memory} / (${cores} + 2)")
  if(memory_of_job GREATER_EQUAL 2000)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1500000>)
  endif()
endif()
if(TOOLWAY_WERROR)
  add_compile_options(-Werror)
endif()

if(TOOLWAY_SANITIZE)
  add_compile_options(-fsanitize=${TOOLWAY_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TOOLWAY_SANITIZE})
  if(TOOLWAY_SANITIZE MATCHES "undefined")
    # Not vptr: its check opens a pipe, and reports a wrong type in tests where descriptors have run out.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
  if(TOOLWAY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)
  endif()
endif()

find_program(TOOLWAY_CCACHE ccache)
if(TOOLWAY_CCACHE)
  # Precompiled headers need both, or nothing is ever found again.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TOOLWAY_CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

find_program(TOOLWAY_MOLD mold)
if(TOOLWAY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Six sevenths of a program are debug information, and there are thirty programs with tests. With zlib, not zstd: perf and the
# sanitizers of Debian 12 read it.
add_link_options(-Wl,--compress-debug-sections=zlib)
