#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::gateway::auth {

/// How the callers of a gateway may say who they are: `--auth`. A value; neither: not at all.
struct Methods {
  bool keys = false;  ///< API keys of `toolway keys create`
  bool jwt = false;   ///< tokens of the issuers in `--auth-config`

  bool none() const { return !keys && !jwt; }
  bool operator==(const Methods&) const = default;
};

/// `none`, `keys`, `jwt`, or `keys,jwt` in either order. Pure. Errors: kInvalidRequest.
Result<Methods> parse_methods(std::string_view text);

/// Those of a gateway that listens on `host`; `given` is the option's text, empty: it was not
/// given, which is `none` on a loopback address and refused elsewhere. Pure. Errors:
/// kInvalidRequest, naming the option; also for a host that cannot be read.
Result<Methods> methods_for(std::string_view given, const std::string& host);

}  // namespace toolway::gateway::auth
