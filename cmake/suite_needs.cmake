# Suites that need programs of others. One that is missing is a failed test with the reason, and not a smaller number of
# tests that nobody notices. TOOLWAY_WITHOUT, a comma-separated list in the environment, leaves the suites of a tool out.
set(TOOLWAY_TOOLS buildah nginx node npm pip prometheus)
string(REPLACE "," ";" without "$ENV{TOOLWAY_WITHOUT}")
foreach(tool ${without})
  if(NOT tool IN_LIST TOOLWAY_TOOLS)
    message(FATAL_ERROR "TOOLWAY_WITHOUT names '${tool}'; it may name: ${TOOLWAY_TOOLS}")
  endif()
endforeach()

# suite_needs(SUITE TOOL FOUND): sets SUITE_runs when the file FOUND exists, which `./run test` makes by means of TOOL.
macro(suite_needs suite tool found)
  set(${suite}_runs FALSE)
  if("${tool}" IN_LIST without)
    message(STATUS "Left out, because TOOLWAY_WITHOUT names ${tool}: ${suite}")
  elseif(EXISTS "${found}")
    set(${suite}_runs TRUE)
  else()
    add_test(NAME ${suite}.needs_${tool} COMMAND sh -c "echo '${suite} cannot run: ${tool} has not provided ${found}. `./run test` installs it; TOOLWAY_WITHOUT=${tool} leaves the suite out'; exit 1")
  endif()
endmacro()
