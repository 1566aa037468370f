# Offers each native tool of own/: `own/get_user.h` has struct `own::GetUserTool`, and nothing else has to name it.
# `cmake -DOUTPUT=… -DFROM=DIRECTORY -P user_tools.cmake` writes their list as a source of toolway_tools.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB headers RELATIVE ${FROM} ${FROM}/own/*.h)
  list(SORT headers)
  set(includes)
  set(made)
  foreach(header ${headers})
    get_filename_component(name ${header} NAME_WE)
    string(REPLACE "_" ";" words ${name})
    set(type)
    foreach(word ${words})
      string(SUBSTRING "${word}" 0 1 first)
      string(SUBSTRING "${word}" 1 -1 rest)
      string(TOUPPER "${first}" first)
      string(APPEND type "${first}${rest}")
    endforeach()
    string(APPEND includes "#include \"tools/builtin/${header}\"\n")
    list(APPEND made "      native::make_native_tool<own::${type}Tool>()")
  endforeach()
  list(JOIN made ",\n" made)
  file(WRITE ${OUTPUT}
    "#include \"tools/builtin/user_tools.h\"\n\n${includes}#include \"tools/native/native.h\"\n\nnamespace toolway::tools::builtin {\n\n"
    "std::vector<std::shared_ptr<const model::Tool>> user_tools() {\n"
    "  return {\n${made}\n  };\n}\n\n}  // namespace toolway::tools::builtin\n")
  return()
endif()

file(GLOB user_tool_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/builtin/own/*.h)
set(user_tools_source ${CMAKE_BINARY_DIR}/generated/tools/user_tools.cc)
# The list depends on which headers there are: a header that is gone has to change it as well.
string(SHA1 user_tools_listed "${user_tool_headers}")
add_custom_command(
  OUTPUT ${user_tools_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${user_tools_source} -DFROM=${CMAKE_SOURCE_DIR}/tools/builtin
          -DLISTED=${user_tools_listed} -P ${CMAKE_SOURCE_DIR}/tools/builtin/user_tools.cmake
  DEPENDS ${user_tool_headers} ${CMAKE_SOURCE_DIR}/tools/builtin/user_tools.cmake
  VERBATIM)
target_sources(toolway_tools PRIVATE ${user_tools_source})
# An object of its own, so that a program may have another list.
set_source_files_properties(${user_tools_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
