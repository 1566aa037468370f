# Turns host/*.py into a C++ source of toolway_tools: `cmake -DOUTPUT=… -P python_host.cmake`
# writes it, and including this file has the build do so whenever one of them changes.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files ${CMAKE_CURRENT_LIST_DIR}/host/*.py)
  list(SORT files)
  set(entries)
  foreach(path ${files})
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND entries "      {\"${name}\", R\"toolway_py(${text})toolway_py\"},\n")
  endforeach()
  file(WRITE ${OUTPUT}
    "#include \"tools/executors/python/python_host.h\"\n\nnamespace toolway::tools::executors::python {\n\n"
    "const std::vector<HostFile>& python_host_files() {\n"
    "  static const std::vector<HostFile> files{\n${entries}  };\n"
    "  return files;\n}\n\n}  // namespace toolway::tools::executors::python\n")
  return()
endif()

file(GLOB python_host_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/executors/python/host/*.py)
set(python_host_source ${CMAKE_BINARY_DIR}/generated/tools/python_host.cc)
add_custom_command(
  OUTPUT ${python_host_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${python_host_source}
          -P ${CMAKE_SOURCE_DIR}/tools/executors/python/python_host.cmake
  DEPENDS ${python_host_files} ${CMAKE_SOURCE_DIR}/tools/executors/python/python_host.cmake
  VERBATIM)
target_sources(toolway_tools PRIVATE ${python_host_source})
