#pragma once

#include <string>

#include "base/clock.h"
#include "chat/providers/configuration.h"
#include "cli/stack/stack.h"
#include "cli/terminal/style.h"

namespace toolway::cli::dev {

struct DevOptions {
  stack::StackOptions stack;
  std::string ready_file;
  std::string extensions;                     ///< an extensions.yaml to put in force; empty: none
  chat::providers::ProviderSettings model{};  ///< of the environment, for the chat process
  std::string why_scripted{};                 ///< why a script of ours answers; empty: it does not
  bool quiet = false;                         ///< neither calls nor lines of logs after the banner
};

/// `toolway dev`: all of Toolway in the foreground, until Ctrl-C.
int run_dev(DevOptions options, const terminal::Style& style, const Clock& clock);

}  // namespace toolway::cli::dev
