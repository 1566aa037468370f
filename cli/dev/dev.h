#pragma once

#include <string>

#include "cli/stack/stack.h"
#include "cli/terminal/style.h"

namespace toolway::cli {

struct DevOptions {
  StackOptions stack;
  std::string ready_file;
};

/// `toolway dev`: all of Toolway in the foreground, until Ctrl-C.
int run_dev(DevOptions options, const Style& style);

}  // namespace toolway::cli
