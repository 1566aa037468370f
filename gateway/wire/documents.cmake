# docs/openapi.yaml and docs/errors.md become part of the gateway.
foreach(name openapi.yaml errors.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/${name})
endforeach()
file(READ ${CMAKE_SOURCE_DIR}/docs/openapi.yaml OPENAPI_DOCUMENT)
file(READ ${CMAKE_SOURCE_DIR}/docs/errors.md ERRORS_DOCUMENT)
configure_file(${CMAKE_CURRENT_LIST_DIR}/documents.cc.in ${CMAKE_BINARY_DIR}/generated/documents.cc @ONLY)
target_sources(toolway_gateway PRIVATE ${CMAKE_BINARY_DIR}/generated/documents.cc)
