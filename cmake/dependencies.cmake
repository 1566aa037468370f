# Everything comes from Debian's packages (see `run`, function packages).
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(Protobuf REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tl-expected REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(date REQUIRED)
find_package(Boost CONFIG REQUIRED COMPONENTS url)
find_package(PkgConfig REQUIRED)
pkg_check_modules(NATS REQUIRED IMPORTED_TARGET libnats)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)

# Not by pkg-config, whose -pthread keeps the precompiled header from being used.
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
add_library(re2 INTERFACE)
target_include_directories(re2 SYSTEM INTERFACE ${RE2_INCLUDE})
target_link_libraries(re2 INTERFACE ${RE2_LIBRARY})

# Not by pkg-config, which asks for the development files of jansson; no header of libcjose includes them.
find_path(CJOSE_INCLUDE cjose/cjose.h REQUIRED)
find_library(CJOSE_LIBRARY cjose REQUIRED)
add_library(cjose INTERFACE)
target_include_directories(cjose SYSTEM INTERFACE ${CJOSE_INCLUDE})
target_link_libraries(cjose INTERFACE ${CJOSE_LIBRARY})

find_path(JSONCONS_INCLUDE jsoncons/json.hpp REQUIRED)
add_library(jsoncons INTERFACE)
target_include_directories(jsoncons SYSTEM INTERFACE ${JSONCONS_INCLUDE})

if(NOT TARGET yaml-cpp AND TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp ALIAS yaml-cpp::yaml-cpp)
endif()

# Asio and Beast are compiled once, here, instead of in every file that uses them.
add_library(toolway_asio STATIC ${CMAKE_SOURCE_DIR}/cmake/asio.cc)
target_compile_definitions(toolway_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION
                           BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(toolway_asio PUBLIC Boost::boost Boost::url Threads::Threads OpenSSL::Crypto)
