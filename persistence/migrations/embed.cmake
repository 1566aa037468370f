# Turns the numbered .sql files next to this file into a C++ source of
# toolway_persistence: `cmake -DOUTPUT=… -P embed.cmake` writes it, and including
# this file has the build do so whenever a migration is added or changed.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files ${CMAKE_CURRENT_LIST_DIR}/[0-9][0-9][0-9][0-9]_*.sql)
  list(SORT files)
  set(entries)
  foreach(path ${files})
    get_filename_component(name ${path} NAME_WE)
    string(SUBSTRING ${name} 0 4 digits)
    string(REGEX REPLACE "^0+" "" version ${digits})
    file(READ ${path} sql)
    string(APPEND entries "      {${version}, \"${name}\", R\"toolway_sql(${sql})toolway_sql\"},\n")
  endforeach()
  file(WRITE ${OUTPUT}
    "#include \"persistence/schema/migrations.h\"\n\nnamespace toolway::persistence::schema {\n\n"
    "const std::vector<Migration>& embedded_migrations() {\n"
    "  static const std::vector<Migration> migrations{\n${entries}  };\n"
    "  return migrations;\n}\n\n}  // namespace toolway::persistence::schema\n")
  return()
endif()

file(GLOB migration_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/persistence/migrations/*.sql)
set(migrations_source ${CMAKE_BINARY_DIR}/generated/persistence/migrations.cc)
add_custom_command(
  OUTPUT ${migrations_source}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${migrations_source}
          -P ${CMAKE_SOURCE_DIR}/persistence/migrations/embed.cmake
  DEPENDS ${migration_files} ${CMAKE_SOURCE_DIR}/persistence/migrations/embed.cmake
  VERBATIM)
target_sources(toolway_persistence PRIVATE ${migrations_source})
