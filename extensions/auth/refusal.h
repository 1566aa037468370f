#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/clock.h"
#include "extensions/principal.h"

namespace toolway::extensions::auth {

/// Why a credential was refused; the word of metric `toolway_auth_total`.
enum class Refused {
  kMissing,  ///< there was none
  kInvalid,  ///< not of a form that is known here, not of our making, or wrongly signed
  kExpired,
  kRevoked,
  kLimited,      ///< too many wrong ones came from that address
  kUnavailable,  ///< what it must be compared with is not there yet
};

struct Refusal {
  Refused why = Refused::kInvalid;
  std::string message;  ///< for the caller: what is wrong, and what to do
};

/// Who a credential belongs to, and until when: WallTime::max() when it does not expire.
struct Grant {
  Principal principal;
  WallTime until = WallTime::max();
};

using Checked = tl::expected<Grant, Refusal>;

inline tl::unexpected<Refusal> refuse(Refused why, std::string message) {
  return tl::unexpected(Refusal{why, std::move(message)});
}

}  // namespace toolway::extensions::auth
