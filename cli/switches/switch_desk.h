#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/switches/switch_options.h"
#include "proto/switches.h"

namespace toolway::cli::switches {

struct SwitchedOn {
  bool namespace_disabled = false;  ///< of the tool: it is still off with it
};

/// What operators have switched off, for a verb: through a gateway, or in the bucket itself.
/// Blocks. Errors of all: kBusUnavailable, kTimeout; kInvalidRequest: another command was faster.
class SwitchDesk {
 public:
  virtual ~SwitchDesk() = default;
  virtual Result<proto::Switches> all() = 0;
  /// Returns the switch as it was written. Also kUnknownTool: the fleet does not have it, unless
  /// `future`.
  virtual Result<proto::Switch> switch_off(const std::string& name, const proto::Switch& off,
                                           bool future) = 0;
  /// Also kUnknownTool, with near names: it is not switched off.
  virtual Result<SwitchedOn> switch_on(const std::string& name) = 0;
};

/// The bucket itself when NATS servers are named, or are in the environment and no gateway is named
/// with a token; else through the gateway that is named, or one of a running `toolway dev`; else
/// the bucket where processes look by default.
Result<std::unique_ptr<SwitchDesk>> open_switches(const SwitchOptions& options);

/// The bucket on NATS. It asks a gateway whether the fleet has what it switches off, and
/// switches it off with a warning when none tells.
Result<std::unique_ptr<SwitchDesk>> switches_on_nats(const SwitchOptions& options);

/// Through a gateway.
std::unique_ptr<SwitchDesk> switches_over_http(client::ClientOptions gateway);

}  // namespace toolway::cli::switches
