#pragma once

#include <string>

#include "cli/client/verbs.h"

/// `toolway tools disable|enable|disabled`: an operator's verbs, over NATS. Each prints, and
/// returns the exit status.
namespace toolway::cli::switches {

struct SwitchOptions {
  std::string nats;            ///< empty: of a running `toolway dev`, else the processes' default
  std::string data;            ///< of that `toolway dev`; empty: .toolway
  std::string name;            ///< `namespace` or `namespace.name`
  std::string reason;          ///< for the tool's callers
  std::string by;              ///< empty: the user of the operating system
  client::ClientOptions http;  ///< of the gateway that is asked what the fleet has; an empty URL:
                               ///< of that `toolway dev`, else the client verbs' default
  bool future = false;         ///< also what the fleet does not have
  terminal::View view;
};

/// Refuses what a gateway says the fleet does not have, unless `future`.
int disable_tool(const SwitchOptions& options);
int enable_tool(const SwitchOptions& options);
int list_disabled(const SwitchOptions& options);

/// Who runs this program: the name of its user in the operating system.
std::string os_user();

}  // namespace toolway::cli::switches
