#pragma once

#include <string>

#include "cli/stack/stack.h"
#include "cli/terminal/style.h"

namespace toolway::cli::demo {

struct DemoOptions {
  stack::StackOptions stack;
  std::string examples = "examples/tools";  ///< specs of the tools that it calls
  std::string packs = "packs";              ///< and the packs
};

/// `toolway demo`: real calls on a stack of its own, shown live and in Postgres. 0 only if
/// every check holds.
int run_demo(DemoOptions options, const terminal::Style& style);

}  // namespace toolway::cli::demo
