# join_sources(<target> <size>)
# With CMAKE_UNITY_BUILD, compiles up to <size> sources of the target in one go. Sources use short names, each for its
# own: those that declare a common one never share a batch.
set(TOOLWAY_JOIN_SOURCES ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)
function(join_sources target size)
  if(NOT TOOLWAY_JOIN_SOURCES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  execute_process(COMMAND python3 ${CMAKE_SOURCE_DIR}/cmake/source_batches.py ${size} ${sources}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/source_batches.py)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line ${lines})
    string(REPLACE "\t" ";" line "${line}")
    list(POP_FRONT line batch)
    set_source_files_properties(${line} PROPERTIES UNITY_GROUP batch_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Neighbours in a batch shadow each other, and g++ takes their anonymous namespaces, and the frames of coroutines,
  # for a header's.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-shadow)
  endif()
endfunction()
