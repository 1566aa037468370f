#pragma once

#include <cstddef>
#include <string>

#include "base/clock.h"
#include "gateway/wire/caller.h"

namespace toolway::gateway::auth {

/// Who a request comes from, and how long that counts. A value.
struct Identity {
  wire::Caller caller;
  WallTime until = WallTime::max();
  std::size_t issuer = 0;  ///< of a token
  std::string signer{};    ///< identity of the key that signed it; empty: not a token
};

}  // namespace toolway::gateway::auth
