# Suites that need programs of others, or rights. What is missing is a failed test with the reason, and not a smaller number
# of tests that goes unnoticed. TOOLWAY_WITHOUT, a comma-separated list in the environment, leaves the suites of a tool or of a
# right out.
set(TOOLWAY_TOOLS buildah fuse landlock mount nginx node npm pip prometheus root)
string(REPLACE "," ";" without "$ENV{TOOLWAY_WITHOUT}")
foreach(tool ${without})
  if(NOT tool IN_LIST TOOLWAY_TOOLS)
    message(FATAL_ERROR "TOOLWAY_WITHOUT names '${tool}'; it may name: ${TOOLWAY_TOOLS}")
  endif()
endforeach()

# suite_if(SUITE NAME[,NAME] REASON CONDITION…): sets SUITE_runs when the condition holds. NAME is what TOOLWAY_WITHOUT calls
# what it takes; REASON says what is missing.
macro(suite_if suite names reason)
  set(${suite}_runs FALSE)
  set(named)
  string(REPLACE "," ";" wanted "${names}")
  foreach(tool ${wanted})
    if(tool IN_LIST without)
      set(named ${tool})
    endif()
  endforeach()
  list(GET wanted 0 tool)
  if(named)
    message(STATUS "Left out, because TOOLWAY_WITHOUT names ${named}: ${suite}")
  elseif(${ARGN})
    set(${suite}_runs TRUE)
  else()
    add_test(NAME ${suite}.needs_${tool} COMMAND sh -c "echo '${suite} cannot run: ${reason}; TOOLWAY_WITHOUT=${tool} leaves the suite out'; exit 1")
  endif()
endmacro()

# suite_needs(SUITE TOOL[,TOOL] FOUND): sets SUITE_runs when the file FOUND exists, which `./run test` makes by means of the
# tools.
macro(suite_needs suite tools found)
  suite_if(${suite} "${tools}" "${tools} has not provided ${found}. `./run test` installs it" EXISTS "${found}")
endmacro()
