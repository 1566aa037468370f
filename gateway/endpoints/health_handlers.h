#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/durability.h"
#include "gateway/admission/guard.h"
#include "gateway/wire/http_types.h"

namespace toolway::gateway::endpoints {

/// How this gateway is.
struct Health {
  admission::BusHealth nats;
  bool switches = false;             ///< whether they have been read
  std::string_view policies = "ok";  ///< the policy, in words
  bool policies_known = true;        ///< one is in force, or there is none
  std::string auth{};      ///< what of callers' credentials is known, in words; empty: none
  bool auth_known = true;  ///< whether it can be told who calls
  std::string clock;       ///< this machine's, in words
  Result<void> postgres;
  bool draining = false;
  std::optional<Durability> durability{};  ///< nothing: it was not told
};

/// Whether it is ready, and why not. Pure.
wire::Response readyz(const Health& health);

}  // namespace toolway::gateway::endpoints
