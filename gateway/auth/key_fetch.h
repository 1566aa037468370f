#pragma once

#include "gateway/auth/issuer_keys.h"

namespace toolway::gateway::auth {

/// Fetches JWK Sets over HTTP: no redirects, 1 MiB at most, 10 s at most, and only from the
/// source's own host, public addresses and those that it allows. Errors: kInternal (no thread).
Result<FetchKeys> fetch_over_http();

}  // namespace toolway::gateway::auth
