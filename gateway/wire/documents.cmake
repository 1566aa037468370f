# docs/openapi.yaml, docs/errors.md and the style of its pages become part of the gateway.
foreach(name docs/openapi.yaml docs/errors.md gateway/api_docs/page.css)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name})
endforeach()
file(READ ${CMAKE_SOURCE_DIR}/docs/openapi.yaml OPENAPI_DOCUMENT)
file(READ ${CMAKE_SOURCE_DIR}/docs/errors.md ERRORS_DOCUMENT)
file(READ ${CMAKE_SOURCE_DIR}/gateway/api_docs/page.css PAGE_STYLE)
configure_file(${CMAKE_CURRENT_LIST_DIR}/documents.cc.in ${CMAKE_BINARY_DIR}/generated/documents.cc @ONLY)
target_sources(toolway_gateway PRIVATE ${CMAKE_BINARY_DIR}/generated/documents.cc)
