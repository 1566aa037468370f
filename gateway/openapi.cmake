# docs/openapi.yaml becomes part of the gateway.
set(openapi_yaml ${CMAKE_SOURCE_DIR}/docs/openapi.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${openapi_yaml})
file(READ ${openapi_yaml} OPENAPI_DOCUMENT)
configure_file(${CMAKE_CURRENT_LIST_DIR}/openapi.cc.in ${CMAKE_BINARY_DIR}/generated/openapi.cc @ONLY)
target_sources(toolway_gateway PRIVATE ${CMAKE_BINARY_DIR}/generated/openapi.cc)
