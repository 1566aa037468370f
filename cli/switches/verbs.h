#pragma once

#include <string>

#include "cli/switches/switch_options.h"

/// `toolway tools disable|enable|disabled`: an operator's verbs, through a gateway or over NATS.
/// Each prints, and returns the exit status.
namespace toolway::cli::switches {

/// Refuses what a gateway says the fleet does not have, unless `future`.
int disable_tool(const SwitchOptions& options);
int enable_tool(const SwitchOptions& options);
int list_disabled(const SwitchOptions& options);

/// Who runs this program: the name of its user in the operating system.
std::string os_user();

}  // namespace toolway::cli::switches
