# Turns templates/<kind>/….in into a C++ source of toolway_cli: `cmake -DOUTPUT=… -P templates.cmake`
# writes it, and including this file has the build do so whenever one of them changes.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE files RELATIVE ${CMAKE_CURRENT_LIST_DIR}/templates ${CMAKE_CURRENT_LIST_DIR}/templates/*.in)
  list(SORT files)
  set(entries)
  foreach(path ${files})
    string(REGEX REPLACE "\\.in$" "" name ${path})
    file(READ ${CMAKE_CURRENT_LIST_DIR}/templates/${path} text)
    string(APPEND entries "      {\"${name}\", R\"toolway_in(${text})toolway_in\"},\n")
  endforeach()
  file(WRITE ${OUTPUT}
    "#include \"cli/authoring/templates.h\"\n\nnamespace toolway::cli::authoring {\n\n"
    "const std::vector<ToolTemplate>& tool_templates() {\n"
    "  static const std::vector<ToolTemplate> templates{\n${entries}  };\n"
    "  return templates;\n}\n\n}  // namespace toolway::cli::authoring\n")
  return()
endif()

file(GLOB_RECURSE tool_template_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/authoring/templates/*.in)
set(tool_templates_source ${CMAKE_BINARY_DIR}/generated/cli/tool_templates.cc)
add_custom_command(
  OUTPUT ${tool_templates_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${tool_templates_source} -P ${CMAKE_SOURCE_DIR}/cli/authoring/templates.cmake
  DEPENDS ${tool_template_files} ${CMAKE_SOURCE_DIR}/cli/authoring/templates.cmake
  VERBATIM)
target_sources(toolway_cli PRIVATE ${tool_templates_source})
