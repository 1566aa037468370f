#pragma once

#include <string>

#include "cli/client/verbs.h"

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

}  // namespace toolway::cli::switches
