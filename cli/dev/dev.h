#pragma once

#include <string>

#include "cli/stack/stack.h"
#include "cli/terminal/style.h"

namespace toolway::cli::dev {

struct DevOptions {
  stack::StackOptions stack;
  std::string ready_file;
};

/// `toolway dev`: all of Toolway in the foreground, until Ctrl-C.
int run_dev(DevOptions options, const terminal::Style& style);

}  // namespace toolway::cli::dev
