#pragma once

#include <string>

#include "cli/client/verbs.h"

/// `toolway tools disable|enable|disabled`: an operator's verbs, through a gateway or over NATS.
/// Each prints, and returns the exit status.
namespace toolway::cli::switches {

struct SwitchOptions {
  std::string nats;                   ///< named: the bucket there; empty: through a gateway
  std::string nats_by_environment{};  ///< where no gateway is known
  std::string data;                   ///< of that `toolway dev`; empty: .toolway
  std::string name;                   ///< `namespace` or `namespace.name`
  std::string reason;                 ///< for the tool's callers
  std::string by;                     ///< empty: the user of the operating system
  client::ClientOptions http;         ///< of the gateway; an empty URL: of that `toolway dev`. With
                                      ///< `nats` it is only asked what the fleet has
  bool future = false;                ///< also what the fleet does not have
  terminal::View view;
};

/// Refuses what a gateway says the fleet does not have, unless `future`.
int disable_tool(const SwitchOptions& options);
int enable_tool(const SwitchOptions& options);
int list_disabled(const SwitchOptions& options);

/// Who runs this program: the name of its user in the operating system.
std::string os_user();

}  // namespace toolway::cli::switches
